import type { EntityManager } from '@mikro-orm/postgresql';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { TimelineRun } from '../../domain/timeline.ts';
import { endSchemaExtraction } from './end-schema-extraction.ts';
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
