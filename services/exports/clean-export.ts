import type { EntityManager } from '@mikro-orm/postgresql';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { DataExport } from '../../db/entities/exports/export.ts';
import { ExportPart } from '../../db/entities/exports/export-part.ts';
import { isExportOpen } from '../../domain/exports/export.ts';
import { exportKey } from '../../domain/object-keys.ts';
import { findExport, type ExportTarget } from './find-export.ts';

const BATCH = 50;

export interface CleanDeps {
  em: EntityManager;
  objects: ObjectStore;
}

/** Removes what an ended export has in the store, once that is due. Idempotent. */
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
 * Removes the files of exports whose day is over, and what was left of those that failed.
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
