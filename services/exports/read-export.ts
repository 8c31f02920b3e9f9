import type { EntityManager } from '@mikro-orm/postgresql';
import type { DataExport } from '../../db/entities/exports/export.ts';
import { isExportOpen } from '../../domain/exports/export.ts';
import { EngineUnavailable, type Engine } from '../../temporal/client.ts';
import { READ_DEADLINE_MS } from '../../temporal/deadlines.ts';
import { pollUntil } from '../shared/poll-until.ts';
import { findExport, type ExportTarget } from './find-export.ts';
import { reconcileExport } from './reconcile-export.ts';
import { startOrCancelExport } from './start-export.ts';

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
 * Waits until an export has ended, or the time is up. Starts it if the engine was away before.
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
