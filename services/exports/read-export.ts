import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { DataExport } from '../../db/entities/exports/export.ts';
import { isExportOpen } from '../../domain/exports/export.ts';
import { EngineUnavailable, type Engine } from '../../temporal/client.ts';
import { READ_DEADLINE_MS } from '../../temporal/deadlines.ts';
import { findExport, type ExportTarget } from './find-export.ts';
import { reconcileExport } from './reconcile-export.ts';

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

/** Waits until an export has ended, or the time is over. Polls the row, which has the outcome whichever process wrote it. */
export async function awaitExport(
  em: EntityManager,
  target: ExportTarget,
  milliseconds: number,
): Promise<DataExport> {
  const deadline = Date.now() + milliseconds;
  for (let pause = 50; ; pause = Math.min(pause * 1.5, 500)) {
    const row = await findExport(em, target);
    if (!isExportOpen(row.status) || Date.now() >= deadline) return row;
    await sleep(pause);
  }
}
