import type { EntityManager } from '@mikro-orm/postgresql';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { DataExport } from '../../db/entities/exports/export.ts';
import { ExportPart } from '../../db/entities/exports/export-part.ts';
import { isExportOpen, EXPORT_CANCELLED } from '../../domain/exports/export.ts';
import { exportKey } from '../../domain/object-keys.ts';
import { markDue, NOT_DUE } from '../shared/due.ts';
import { findExport, type ExportTarget, lockExport } from './find-export.ts';
import type { FailureReason } from '../../domain/components.ts';

const BATCH = 50;

interface CleanDeps {
  em: EntityManager;
  objects: ObjectStore;
}

/** Removes the objects of an ended export, once that is due. Idempotent. */
export async function cleanExport({ em, objects }: CleanDeps, target: ExportTarget): Promise<void> {
  const { id, tenantId, status, cleanAt } = await findExport(em, target);
  if (isExportOpen(status) || !cleanAt || cleanAt > new Date()) return;
  const key = exportKey(tenantId, id);
  for await (const upload of objects.listIncompleteUploads(key)) await objects.abortMultipart(upload);
  await objects.remove([key]);
  await em.nativeDelete(ExportPart, { exportId: id });
  await em.nativeUpdate(DataExport, { id }, { cleanAt: null, storeUploadId: null });
}

/**
 * Removes the files of exports that have expired, and leftovers of those that failed.
 *
 * @returns how many
 */
export async function cleanEndedExports({ em, objects }: CleanDeps): Promise<number> {
  const due = await em.find(
    DataExport,
    { cleanAt: { $lt: new Date() } },
    { orderBy: { cleanAt: 'asc' }, limit: BATCH },
  );
  for (const { id: exportId, tenantId } of due)
    await cleanExport({ em: em.fork(), objects }, { exportId, tenantId });
  return due.length;
}

/**
 * Ends an export without its file. An export that has already ended is unchanged.
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
    Object.assign(row, { status: 'failed', error, completedAt: now, cleanAt: now, ...NOT_DUE });
    await tx.flush();
    return true;
  });
}

/**
 * Cancels an export that is being written, or schedules the removal of a finished one's file. Idempotent.
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
      Object.assign(row, { ...end, cleanAt: now });
      markDue(row, now);
    } else if (row.cleanAt) row.cleanAt = now;
    await tx.flush();
  });
  return findExport(em, target);
}
