import type { EntityManager } from '@mikro-orm/postgresql';
import { primaryStatus } from '../domain/primary-status.ts';
import type { FileProjection } from './project-file.ts';

/**
 * The first write of a run, and its check that there is work at all, in one statement.
 *
 * @returns the `seq` to count on from: the row's own, so that a run which was reset to its beginning goes on after
 *   what the row has seen. Undefined when the file is gone, is deleted, has a newer generation or has ended: the run
 *   must then end without touching anything
 */
export async function beginFileWork(
  em: EntityManager,
  { fileId, tenantId, generation, components }: Omit<FileProjection, 'seq'>,
): Promise<number | undefined> {
  const [row] = await em.execute<{ seq: number }[]>(
    `update files set seq = seq + 1, components = ?, primary_status = ?, updated_at = now(),
       workflow_started_at = coalesce(workflow_started_at, now())
     where id = ? and tenant_id = ? and generation = ? and deleted_at is null
       and primary_status in ('pending', 'processing')
     returning seq`,
    [JSON.stringify(components), primaryStatus(components), fileId, tenantId, generation],
  );
  return row?.seq;
}
