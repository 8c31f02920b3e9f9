import type { EntityManager } from '@mikro-orm/postgresql';
import { primaryStatus } from '../../domain/primary-status.ts';
import { indexDueSql } from '../media/medium.ts';
import type { FileProjection } from './project-file.ts';

export interface BegunWork {
  /** Of the row, to count on from, so that a run that was reset to its beginning continues after what the row has seen. */
  seq: number;
  /** Of the tenant; null allows any. */
  allowedVlmProviders: readonly string[] | null;
}

/**
 * The first write of a run, and its check that there is work at all, in one statement. Idempotent per run: a late
 * duplicate, when the run has moved on, changes nothing.
 *
 * @returns undefined when the file is gone, deleted, in a newer generation or has ended: then the run must end without
 *   any change
 */
export async function beginFileWork(
  em: EntityManager,
  { fileId, tenantId, generation, components }: Omit<FileProjection, 'seq'>,
  runId: string,
): Promise<BegunWork | undefined> {
  const [row] = await em.execute<{ seq: number; allowed: string[] | null }[]>(
    `update files set
       seq = case when run_id = ? then seq else seq + 1 end,
       components = case when run_id = ? then components else ? end,
       primary_status = case when run_id = ? then primary_status else ? end,
       run_id = ?,
       updated_at = now(),
       workflow_started_at = coalesce(workflow_started_at, now()),
       -- What is due for its entries in an index as well stays due until reconcileFile has started both.
       engine_due_at = case when ${indexDueSql()} then engine_due_at end
     where id = ? and tenant_id = ? and generation = ? and deleted_at is null
       and primary_status in ('pending', 'processing')
     returning seq, (select allowed_vlm_providers from tenants where id = tenant_id) as allowed`,
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
  return row && { seq: row.seq, allowedVlmProviders: row.allowed };
}
