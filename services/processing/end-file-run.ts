import type { EntityManager } from '@mikro-orm/postgresql';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { Histogram } from 'prom-client';
import type { FailureReason, FileComponents, Components } from '../../domain/components.ts';
import { stepsOf } from '../../domain/pipelines/index.ts';
import type { TimelineRun } from '../../domain/timeline.ts';
import { settleRun } from './settle-run.ts';
import { primaryStatus } from '../../domain/primary-status.ts';

/**
 * Records the end of a run, for the workflow or the reconciler: last projection, timeline and the settled reservation
 * in one transaction. Idempotent.
 */
export async function endFileRun(
  em: EntityManager,
  projection: FileProjection & Pick<StoredFile, 'mediaType'>,
  run: TimelineRun,
): Promise<void> {
  await em.transactional(async (tx) => {
    await endSchemaExtraction(tx, projection);
    const written = await projectFile(tx, projection);
    // A row closed earlier by the reconciler or a deletion stays as it is; only the timeline may still be missing.
    await saveRunEnd(tx, projection, run, { replace: written });
  });
}

const seconds = new Histogram({
  name: 'darkroom_file_seconds',
  help: 'Time from the upload of a file, or from the start of a retry, to the end of its run',
  labelNames: ['media_type', 'status'],
  buckets: [0.5, 1, 2, 5, 10, 30, 60, 120, 300, 900, 3600],
});

/** Timeline and settled reservation of an ended run, inside the transaction that closes its row. */
export async function saveRunEnd(
  tx: EntityManager,
  file: Omit<FileProjection, 'seq'> & Pick<StoredFile, 'mediaType'>,
  run: TimelineRun,
  { replace }: { replace: boolean },
): Promise<void> {
  const { fileId, tenantId, generation } = file;
  const [saved] = await tx.execute<{ uploaded_at: string }[]>(
    `insert into file_timelines (file_id, generation, run) select id, ?, ? from files where id = ? and tenant_id = ?
     on conflict (file_id, generation) ${replace ? 'do update set run = excluded.run' : 'do nothing'}
     returning (select created_at from files where id = file_id) as uploaded_at`,
    [generation, JSON.stringify(run), fileId, tenantId],
  );
  await settleRun(tx, file);
  if (!saved || run.endedAt === undefined) return;
  const since = generation === 1 ? saved.uploaded_at : run.startedAt;
  seconds.observe(
    { media_type: file.mediaType, status: primaryStatus(file.components) },
    Math.max(0, Date.parse(run.endedAt) - Date.parse(since)) / 1000,
  );
}

const REASON: FailureReason = {
  code: 'WORKFLOW_ENDED',
  message: 'the processing of the file ended before the extraction did',
};

/**
 * Fails the unfinished extraction by a saved schema of a file's run, inside the transaction that records the end of
 * that run and settles its credits. Its objects are left to the sweep. Usually there is nothing to do.
 */
export async function endSchemaExtraction(
  tx: EntityManager,
  { fileId, tenantId, generation, mediaType, components }: Omit<FileProjection, 'seq'> & FileComponents,
): Promise<void> {
  const requested =
    components.extraction?.cause !== 'by_request' &&
    stepsOf({ mediaType, components }, 'extraction').some(({ activity }) => activity === 'extractBySchema');
  if (!requested) return;
  // The file is locked before its extraction, as everywhere, but the event of the extraction precedes that of the file.
  await tx.execute('select from files where id = ? and tenant_id = ? for no key update', [fileId, tenantId]);
  await tx.execute(
    `with open as (
       select id, object_keys from schema_extractions
       where file_id = ? and generation = ? and source = 'upload' and status = 'processing' for update),
     ended as (
       update schema_extractions set status = 'failed', error = ?, object_keys = '{}', completed_at = now(), updated_at = now()
       from open where schema_extractions.id = open.id)
     insert into claimed_objects (object_key, claimed_at)
     select unnest(object_keys), now() - interval '3 hours' from open on conflict do nothing`,
    [fileId, generation, JSON.stringify(REASON)],
  );
}

/** Higher than any `seq` a run can reach: the final write of a generation that was ended from outside. */
export const LAST_SEQ = 2_147_483_647;

/** All component statuses of a file at one point of a run; `seq` increases within a generation. */
export interface FileProjection {
  fileId: string;
  tenantId: string;
  generation: number;
  seq: number;
  components: Components;
}

/**
 * Writes a projection unless the row already has this one or a later one, so that repeated or stale writes change
 * nothing.
 *
 * @returns whether it was written
 */
export async function projectFile(em: EntityManager, projection: FileProjection): Promise<boolean> {
  const { fileId, tenantId, generation, seq, components } = projection;
  const written = await em.nativeUpdate(
    StoredFile,
    {
      id: fileId,
      tenantId,
      $or: [{ generation: { $lt: generation } }, { generation, seq: { $lt: seq } }],
    },
    { generation, seq, components, primaryStatus: primaryStatus(components), updatedAt: new Date() },
  );
  return written > 0;
}
