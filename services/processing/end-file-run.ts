import type { EntityManager } from '@mikro-orm/postgresql';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { FailureReason } from '../../domain/components.ts';
import type { TimelineRun } from '../../domain/timeline.ts';
import { projectFile, type FileProjection } from './project-file.ts';
import { settleRun } from './settle-run.ts';

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
    const written = await projectFile(tx, projection);
    // A row closed earlier by the reconciler or a deletion stays as it is; only the timeline may still be missing.
    await saveRunEnd(tx, projection, run, { replace: written });
  });
}

/** Timeline and settled reservation of an ended run, inside the transaction that closes its row. */
export async function saveRunEnd(
  tx: EntityManager,
  file: Omit<FileProjection, 'seq'> & Pick<StoredFile, 'mediaType'>,
  run: TimelineRun,
  { replace }: { replace: boolean },
): Promise<void> {
  const { fileId, tenantId, generation } = file;
  await tx.execute(
    `insert into file_timelines (file_id, generation, run) select id, ?, ? from files where id = ? and tenant_id = ?
     on conflict (file_id, generation) ${replace ? 'do update set run = excluded.run' : 'do nothing'}`,
    [generation, JSON.stringify(run), fileId, tenantId],
  );
  await endSchemaExtraction(tx, { fileId, generation });
  await settleRun(tx, file);
}

const REASON: FailureReason = {
  code: 'WORKFLOW_ENDED',
  message: 'the processing of the file ended before the extraction did',
};

/**
 * Fails the extraction by a saved schema that the run of a file leaves unfinished, inside the transaction that records
 * the end of that run and settles its credits. Its objects are left to the sweep. Usually there is nothing to do.
 */
async function endSchemaExtraction(
  tx: EntityManager,
  { fileId, generation }: { fileId: string; generation: number },
): Promise<void> {
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
