import type { EntityManager } from '@mikro-orm/postgresql';
import { DataExport } from '../../db/entities/exports/export.ts';
import { isExportOpen } from '../../domain/exports/export.ts';
import type { Engine } from '../../temporal/client.ts';
import { exportWorkflowId } from '../../temporal/contract/ids.ts';
import { ifReachable } from '../../temporal/if-reachable.ts';
import { cancelWorkflow, startWorkflow } from '../../temporal/start-workflow.ts';

/**
 * Tells the engine of the state of an export: that it is to be written, or no more. Idempotent.
 *
 * @param row is refreshed
 * @returns whether the engine took it; otherwise the sweep will tell it
 */
export async function startOrCancelExport(
  { em, engine }: { em: EntityManager; engine: Engine },
  row: DataExport,
): Promise<boolean> {
  const { id, tenantId, kind, format, status } = row;
  const open = isExportOpen(status);
  const told = await ifReachable(engine, { tenant_id: tenantId, export_id: id }, async () => {
    if (!open) await cancelWorkflow(engine, exportWorkflowId(id));
    else {
      const input = { exportId: id, tenantId, format };
      await startWorkflow(engine, 'exportData', input, { summary: `Export of ${kind} as ${format}` });
    }
    return true;
  });
  if (!told) return false;
  // Only if the row is unchanged: otherwise there is something newer to tell.
  await em.nativeUpdate(DataExport, { id, status }, { engineDueAt: null });
  if (open) await em.nativeUpdate(DataExport, { id, status: 'pending' }, { status: 'processing' });
  await em.refreshOrFail(row);
  return true;
}
