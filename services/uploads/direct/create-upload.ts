import { randomBytes, randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import { UploadIntent } from '../../../db/entities/uploads/upload-intent.ts';
import type { ContentCategory } from '../../../domain/content-categories.ts';
import type { MediaType } from '../../../domain/media.ts';
import { incomingKey, originalKey } from '../../../domain/object-keys.ts';
import { NEW_INTENT } from '../../../domain/uploads/upload-intent.ts';
import type { UploadOptions } from '../../../domain/uploads/upload-options.ts';
import type { UploadPlan } from '../../../domain/uploads/upload-plan.ts';
import { findUpload, type UploadTarget } from './find-upload.ts';
import { rejectTooManyUploads } from './refuse-too-many-uploads.ts';
import type { ItemKey } from '../../upload-sessions/note-item.ts';

/** A slow request may begin just before its URL expires, and go on for so long. */
export const LATE_REQUEST_MS = 3_600_000;

/** What a client promises to upload. */
export interface PromisedFile {
  filename: string;
  contentType: string;
  mediaType: MediaType;
  sizeBytes: number;
  /** Null where the client claims none before it confirms. */
  claimedSha256: string | null;
  title: string | null;
  tags: string[];
  contentCategory: ContentCategory;
  options: UploadOptions;
  /** The presigned batch that it belongs to, and its place there. */
  session?: ItemKey;
}

/**
 * Writes an upload intent, and begins its upload in the store where it goes in parts. Safe to repeat with the same
 * id: then the intent that is there is the answer. Costs no credits; the file reserves its own once it is verified.
 *
 * @throws AppError TOO_MANY_UPLOADS
 */
export async function createUpload(
  { em, objects }: { em: EntityManager; objects: ObjectStore },
  target: UploadTarget,
  { session, ...promised }: PromisedFile,
  plan: UploadPlan,
  lifetimeSeconds: number,
): Promise<UploadIntent> {
  const { uploadId: id, tenantId } = target;
  if ((await em.count(UploadIntent, { id, tenantId })) === 0) await rejectTooManyUploads(em, tenantId);
  const now = new Date();
  const expiresAt = new Date(now.getTime() + lifetimeSeconds * 1000);
  const fileId = randomUUID();
  const parts = plan.mode === 'multipart' ? plan : null;
  await em
    .createQueryBuilder(UploadIntent)
    .insert({
      ...promised,
      id,
      tenantId,
      mode: plan.mode,
      status: NEW_INTENT.status,
      objectKey: parts ? newPartsKey(tenantId, fileId) : incomingKey(tenantId, id),
      storeUploadId: null,
      partSizeBytes: parts?.partSizeBytes ?? null,
      totalParts: parts?.totalParts ?? null,
      round: 1,
      sessionId: session?.sessionId ?? null,
      sessionIndex: session?.index ?? null,
      fileId,
      duplicateOf: null,
      completeRequestedAt: null,
      engineDueAt: now,
      error: null,
      abortReason: null,
      createdAt: now,
      updatedAt: now,
      expiresAt,
      confirmedAt: null,
      cleanAt: new Date(expiresAt.getTime() + LATE_REQUEST_MS),
    })
    .onConflict('id')
    .ignore()
    .execute();
  const intent = await findUpload(em, target);
  // The row comes first, so that whatever is begun in the store is found and cleaned away by it.
  if (intent.mode === 'single_shot' || intent.storeUploadId !== null) return intent;
  const upload = await objects.initiateMultipart(intent.objectKey, { contentType: intent.contentType });
  const first = await em.nativeUpdate(
    UploadIntent,
    { id: intent.id, storeUploadId: null },
    { storeUploadId: upload.uploadId },
  );
  if (first === 0) await objects.abortMultipart(upload);
  return findUpload(em, target);
}

/**
 * Where an upload in parts is put together. No URL ever signed is for the whole object, so once it is assembled nobody
 * can change it; each beginning has a key of its own.
 */
export function newPartsKey(tenantId: string, fileId: string): string {
  return originalKey(tenantId, fileId, randomBytes(6).toString('hex'));
}
