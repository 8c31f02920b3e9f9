import type { EntityManager } from '@mikro-orm/postgresql';
import type { DataExport } from '../../db/entities/exports/export.ts';
import { isExportOpen } from '../../domain/exports/export.ts';
import type { Engine } from '../../temporal/client.ts';
import { exportWorkflowId } from '../../temporal/contract/ids.ts';
import { describeWorkflowRun } from '../../temporal/status/describe-workflow-run.ts';
import { failExport } from './end-export.ts';
import { startOrCancelExport } from './start-export.ts';

/**
 * Reconciles an export and the engine, whichever is behind: starts or cancels what the engine missed, and fails an open
 * export whose workflow has ended, for the sweep to clean up. Idempotent. Needs no worker.
 *
 * @param row is refreshed when it was changed
 * @returns whether the row was stale
 * @throws EngineUnavailable
 */
export async function reconcileExport(
  { em, engine }: { em: EntityManager; engine: Engine },
  row: DataExport,
  milliseconds: number,
): Promise<boolean> {
  if (row.engineDueAt && !(await startOrCancelExport({ em, engine }, row))) return false;
  if (!isExportOpen(row.status)) return false;
  const run = await describeWorkflowRun(engine, exportWorkflowId(row.id), milliseconds);
  if (!run) await startOrCancelExport({ em, engine }, row);
  if (!run || run.outcome === 'running') return false;
  const changed = await failExport(em, { exportId: row.id, tenantId: row.tenantId }, run.reason);
  await em.refreshOrFail(row);
  return changed;
}
