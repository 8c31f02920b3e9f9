import type { EntityManager } from '@mikro-orm/postgresql';
import { DataExport } from '../../db/entities/exports/export.ts';
import { isExportOpen } from '../../domain/exports/export.ts';
import { EngineUnavailable, type Engine } from '../../temporal/client.ts';
import { exportWorkflowId } from '../../temporal/contract/ids.ts';
import { READ_DEADLINE_MS } from '../../temporal/deadlines.ts';
import { ifReachable } from '../../temporal/if-reachable.ts';
import { cancelWorkflow, startWorkflow } from '../../temporal/start-workflow.ts';
import { describeWorkflowRun } from '../../temporal/status/describe-workflow-run.ts';
import { acknowledge } from '../shared/due.ts';
import { pollUntil } from '../shared/outage.ts';
import { failExport } from './end-export.ts';
import { findExport, type ExportTarget } from './find-export.ts';
import { formatOf } from './formats/index.ts';

/**
 * Reconciles an export and the engine, whichever is behind: starts or cancels its workflow, and fails an open export
 * whose workflow has ended, for the sweep to clean up. Idempotent. Needs no worker.
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
  const isOpen = isExportOpen(row.status);
  if (!isOpen && !row.engineDueAt) return false;
  const run = await describeWorkflowRun(engine, exportWorkflowId(row.id), milliseconds);
  const isRunning = run?.outcome === 'running';
  if (isOpen ? !run : isRunning) await startOrCancelExport({ em, engine }, row);
  if (!isOpen && !isRunning) await acknowledge(em, DataExport, row);
  if (!isOpen || !run || isRunning) return false;
  const changed = await failExport(em, { exportId: row.id, tenantId: row.tenantId }, run.reason);
  await em.refreshOrFail(row);
  return changed;
}

/**
 * Syncs the engine with the row of an export: starts its workflow, or cancels it. Idempotent. The row stays due until the
 * workflow has read it, or has ended.
 *
 * @param row is refreshed
 * @returns whether the engine accepted it; otherwise the sweep tries again
 */
export async function startOrCancelExport(
  { em, engine }: { em: EntityManager; engine: Engine },
  row: DataExport,
): Promise<boolean> {
  const { id, tenantId, kind, format, status } = row;
  const open = isExportOpen(status);
  const accepted = await ifReachable(engine, { tenant_id: tenantId, export_id: id }, async () => {
    if (open) {
      const input = { exportId: id, tenantId, format, queue: formatOf(format).queue };
      await startWorkflow(engine, 'exportData', input, { summary: `Export of ${kind} as ${format}` });
    } else await cancelWorkflow(engine, exportWorkflowId(id));
    return true;
  });
  if (!accepted) return false;
  if (open) await em.nativeUpdate(DataExport, { id, status: 'pending' }, { status: 'processing' });
  await em.refreshOrFail(row);
  return true;
}

/**
 * Reconciles an open export with the engine, then reads it.
 *
 * @throws AppError NOT_FOUND
 */
export async function observeExport(
  deps: { em: EntityManager; engine: Engine },
  target: ExportTarget,
): Promise<DataExport> {
  const row = await findExport(deps.em, target);
  if (!isExportOpen(row.status)) return row;
  try {
    await reconcileExport(deps, row, READ_DEADLINE_MS);
  } catch (error) {
    if (!(error instanceof EngineUnavailable)) throw error;
  }
  return findExport(deps.em, target);
}

/**
 * Waits until an export has ended, or the time is up. Starts it if that is still due.
 *
 * @param row is refreshed
 */
export async function awaitExport(
  deps: { em: EntityManager; engine: Engine },
  row: DataExport,
  milliseconds: number,
): Promise<void> {
  await pollUntil(
    async () => {
      await deps.em.refreshOrFail(row);
      return !isExportOpen(row.status) || undefined;
    },
    {
      milliseconds,
      startDue: async () => {
        if (row.engineDueAt) await startOrCancelExport(deps, row);
      },
    },
  );
}
