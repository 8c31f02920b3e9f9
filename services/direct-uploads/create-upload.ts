import { randomBytes, randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { DirectUpload } from '../../db/entities/uploads/direct-upload.ts';
import type { ContentCategory } from '../../domain/content-categories.ts';
import type { MediaType } from '../../domain/media.ts';
import { incomingKey, originalKey, type ObjectPlace } from '../../domain/object-keys.ts';
import { NEW_DIRECT_UPLOAD } from '../../domain/uploads/direct-upload.ts';
import type { UploadOptions } from '../../domain/uploads/upload-options.ts';
import type { UploadPlan } from '../../domain/uploads/upload-plan.ts';
import { findUpload, isAnnounced, type UploadTarget } from './find-upload.ts';
import type { ItemKey } from '../upload-sessions/record-item.ts';
import { subscribeToSubject, type RequestWebhook } from '../webhooks/request-webhook.ts';
import { MAX_OPEN_UPLOADS } from '../../domain/limits.ts';
import { AppError } from '../../domain/app-error.ts';
import { dueSince } from '../shared/due.ts';

const RETRY_AFTER_SECONDS = 60;

/** A slow request may start just before its URL expires, and last this long. */
export const LATE_REQUEST_MS = 3_600_000;

/** A file announced by a client. */
export interface PromisedFile {
  filename: string;
  contentType: string;
  mediaType: MediaType;
  sizeBytes: number;
  /** Null if the client claims none before it confirms. */
  claimedSha256: string | null;
  title: string | null;
  tags: string[];
  contentCategory: ContentCategory;
  options: UploadOptions;
  /** The root folder if absent. */
  folderId?: string | null;
  /** The presigned batch and the upload's position in it. */
  session?: ItemKey;
  /** The API key of the request; absent for login sessions. */
  apiKeyId?: string | undefined;
  /** Id of the tenant's own bucket; absent for the service's bucket. */
  storageConfigId?: string | undefined;
  /** Receives the events of the upload and of its file. */
  webhook?: RequestWebhook | undefined;
}

/**
 * Creates a direct upload and, for a multipart upload, initiates it in the store. Idempotent by `uploadId`: a repeat
 * returns the existing upload. Costs no credits; the file reserves its own once it is verified.
 *
 * @throws AppError TOO_MANY_UPLOADS
 */
export async function createUpload(
  { em, objects }: { em: EntityManager; objects: ObjectStore },
  target: UploadTarget,
  { session, storageConfigId, webhook, ...announced }: PromisedFile,
  plan: UploadPlan,
  lifetimeSeconds: number,
): Promise<DirectUpload> {
  const { uploadId: id, tenantId } = target;
  if (!(await isAnnounced(em, target))) await rejectTooManyUploads(em, tenantId);
  const now = new Date();
  const expiresAt = new Date(now.getTime() + lifetimeSeconds * 1000);
  const fileId = randomUUID();
  const place = { tenantId, storageConfigId };
  const parts = plan.mode === 'multipart' ? plan : null;
  await em
    .createQueryBuilder(DirectUpload)
    .insert({
      ...announced,
      id,
      tenantId,
      mode: plan.mode,
      status: NEW_DIRECT_UPLOAD.status,
      objectKey: parts ? newPartsKey(place, fileId) : incomingKey(place, id),
      laterPartsKey: null,
      storeUploadId: null,
      partSizeBytes: parts?.partSizeBytes ?? null,
      totalParts: parts?.totalParts ?? null,
      round: 1,
      sessionId: session?.sessionId ?? null,
      sessionIndex: session?.index ?? null,
      fileId,
      duplicateOf: null,
      completeRequestedAt: null,
      ...dueSince(now),
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
  const upload = await findUpload(em, target);
  // In time: the first event is caused by a later request.
  await subscribeToSubject(em, webhook, { tenantId, kind: 'file', id: upload.fileId });
  // The row comes first, so that cleanup finds whatever is initiated in the store.
  if (upload.mode === 'single_shot' || upload.storeUploadId !== null) return upload;
  const multipart = await objects.initiateMultipart(upload.objectKey, { contentType: upload.contentType });
  const first = await em.nativeUpdate(
    DirectUpload,
    { id: upload.id, storeUploadId: null },
    { storeUploadId: multipart.uploadId },
  );
  if (first === 0) await objects.abortMultipart(multipart);
  return findUpload(em, target);
}

/**
 * The key of a multipart upload. No signed URL covers the whole object, so once assembled it cannot be overwritten;
 * each restart gets its own key.
 */
export function newPartsKey(place: ObjectPlace, fileId: string): string {
  return originalKey(place, fileId, randomBytes(6).toString('hex'));
}

/** The key of the multipart upload in progress. */
export function partsKeyOf({ laterPartsKey, objectKey }: DirectUpload): string {
  return laterPartsKey ?? objectKey;
}

/**
 * Rejects another direct upload for a tenant that has too many open ones: each is a row, a workflow and maybe parts in
 * the store for up to a week. Concurrent requests are not serialized, so a few more may get through.
 *
 * @throws AppError TOO_MANY_UPLOADS
 */
async function rejectTooManyUploads(em: EntityManager, tenantId: string): Promise<void> {
  // Must match the predicate of the index upload_intents_open.
  const full: unknown[] = await em.execute(
    `select 1 from upload_intents where tenant_id = ? and status in ('PENDING', 'UPLOADED') limit 1 offset ?`,
    [tenantId, MAX_OPEN_UPLOADS - 1],
  );
  if (full.length === 0) return;
  const message = `${MAX_OPEN_UPLOADS} direct uploads are open; complete or abort some of them first`;
  throw new AppError('TOO_MANY_UPLOADS', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
