import type { EntityManager } from '@mikro-orm/postgresql';
import { randomUUID } from 'node:crypto';
import { DocumentPage } from '../../db/entities/documents/document-page.ts';
import { PageImage } from '../../db/entities/documents/page-image.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { FailureReason } from '../../domain/components.ts';
import { PAGE_HEIGHTS } from '../../domain/documents/page-image.ts';
import { pageImageKey, placeOf } from '../../domain/object-keys.ts';
import type { DrawPageInput } from '../../temporal/contract/draw-page.ts';
import { lockFile } from '../files/find-file.ts';
import { claimObject, discardObject, handOverToSweep, releaseClaim } from '../uploads/claimed-objects.ts';
import { drawPicture, type PictureDeps } from './draw-picture.ts';

/**
 * Draws a page and stores its picture; one that is drawn again replaces the former. A file that was deleted meanwhile
 * keeps none.
 *
 * @throws as drawPicture
 */
export async function drawPageImage(
  deps: PictureDeps,
  { fileId, tenantId, pageNumber, width }: DrawPageInput,
  signal: AbortSignal,
): Promise<void> {
  const { em, objects } = deps;
  const file = await em.findOne(StoredFile, { id: fileId, tenantId, deletedAt: null });
  const page = await em.findOne(DocumentPage, { fileId, pageNumber }, { fields: ['contentHash'] });
  if (!file || !page) return;
  const size = { width, maxHeight: width * PAGE_HEIGHTS };
  const { bytes, contentType } = await drawPicture(deps, file, pageNumber, size, signal);
  const at = { pageNumber, width };
  const objectKey = pageImageKey(placeOf(tenantId, file.objectKey), fileId, at, randomUUID());
  await claimObject(em, objectKey);
  await objects.put(objectKey, Buffer.from(bytes), { contentType });
  const isKept = await record(em, {
    fileId,
    tenantId,
    ...at,
    objectKey,
    contentType,
    sizeBytes: bytes.byteLength,
    contentHash: page.contentHash ?? null,
    error: null,
  });
  if (!isKept) await discardObject({ em, objects }, objectKey);
}

/** Notes why a page could not be drawn. */
export async function failPageImage(
  em: EntityManager,
  { fileId, tenantId, pageNumber, width }: DrawPageInput,
  error: FailureReason,
): Promise<void> {
  const page = await em.findOne(DocumentPage, { fileId, pageNumber }, { fields: ['contentHash'] });
  const contentHash = page?.contentHash ?? null;
  const none = { objectKey: null, contentType: null, sizeBytes: 0, contentHash };
  await record(em, { fileId, tenantId, pageNumber, width, ...none, error });
}

/** @returns false if the file was deleted */
async function record(
  em: EntityManager,
  { tenantId, ...drawn }: Omit<PageImage, 'drawnAt'> & { tenantId: string },
): Promise<boolean> {
  return em.transactional(async (tx) => {
    const file = await lockFile(tx, tenantId, drawn.fileId);
    if (!file || file.deletedAt) return false;
    const { fileId, pageNumber, width, objectKey } = drawn;
    const before = await tx.findOne(PageImage, { fileId, pageNumber, width });
    if (before?.objectKey) await handOverToSweep(tx, [before.objectKey]);
    await tx.upsert(PageImage, { ...drawn, drawnAt: new Date() });
    if (objectKey !== null && objectKey !== undefined) await releaseClaim(tx, objectKey);
    return true;
  });
}
