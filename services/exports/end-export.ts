import type { EntityManager } from '@mikro-orm/postgresql';
import type { DataExport } from '../../db/entities/exports/export.ts';
import type { FailureReason } from '../../domain/components.ts';
import { EXPORT_CANCELLED, isExportOpen } from '../../domain/exports/export.ts';
import { findExport, lockExport, type ExportTarget } from './find-export.ts';

/**
 * Ends an export without its file. One that has ended keeps its end.
 *
 * @returns whether it was open
 */
export async function failExport(
  em: EntityManager,
  target: ExportTarget,
  error: FailureReason,
): Promise<boolean> {
  return em.transactional(async (tx) => {
    const row = await lockExport(tx, target);
    if (!isExportOpen(row.status)) return false;
    const now = new Date();
    Object.assign(row, { status: 'failed', error, completedAt: now, cleanAt: now, engineDueAt: null });
    await tx.flush();
    return true;
  });
}

/**
 * Cancels an export that is being written, and has the file of a finished one removed. Idempotent.
 *
 * @returns the row, which is due at the engine if its workflow is to be cancelled
 * @throws AppError NOT_FOUND
 */
export async function discardExport(em: EntityManager, target: ExportTarget): Promise<DataExport> {
  await em.transactional(async (tx) => {
    const row = await lockExport(tx, target);
    const now = new Date();
    if (isExportOpen(row.status)) {
      const end = { status: 'failed', error: EXPORT_CANCELLED, completedAt: now } as const;
      Object.assign(row, { ...end, cleanAt: now, engineDueAt: now });
    } else if (row.cleanAt) row.cleanAt = now;
    await tx.flush();
  });
  return findExport(em, target);
}
