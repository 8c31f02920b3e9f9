import type { EntityManager } from '@mikro-orm/postgresql';
import { primaryStatus } from '../../domain/primary-status.ts';
import type { FileProjection } from './project-file.ts';

/**
 * The first write of a run, and its check that there is work at all, in one statement. It counts once a run: the same
 * write arriving late, when the run has gone on, changes nothing.
 *
 * @returns the `seq` to count on from: the row's own, so that a run which was reset to its beginning goes on after
 *   what the row has seen. Undefined when the file is gone, is deleted, has a newer generation or has ended: the run
 *   must then end without touching anything
 */
export async function beginFileWork(
  em: EntityManager,
  { fileId, tenantId, generation, components }: Omit<FileProjection, 'seq'>,
  runId: string,
): Promise<number | undefined> {
  const [row] = await em.execute<{ seq: number }[]>(
    `update files set
       seq = case when run_id = ? then seq else seq + 1 end,
       components = case when run_id = ? then components else ? end,
       primary_status = case when run_id = ? then primary_status else ? end,
       run_id = ?,
       updated_at = now(),
       workflow_started_at = coalesce(workflow_started_at, now()),
       engine_due_at = null
     where id = ? and tenant_id = ? and generation = ? and deleted_at is null
       and primary_status in ('pending', 'processing')
     returning seq`,
    [
      runId,
      runId,
      JSON.stringify(components),
      runId,
      primaryStatus(components),
      runId,
      fileId,
      tenantId,
      generation,
    ],
  );
  return row?.seq;
}
