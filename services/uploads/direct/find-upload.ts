import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { UploadIntent } from '../../../db/entities/uploads/upload-intent.ts';
import { notFound, AppError, isErrorCode, type ErrorCode } from '../../../domain/app-error.ts';
import { isUuid } from '../../shared/sql.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import type { UploadSession } from '../../../db/entities/upload-sessions/upload-session.ts';
import { secondsToCreditReset } from '../../../domain/accounts/credits.ts';
import { isIntentOpen } from '../../../domain/uploads/upload-intent.ts';

/** The errors of an upload that has ended. */
export const CLOSED_UPLOAD_ERRORS: readonly ErrorCode[] = [
  'UPLOAD_COMPLETED',
  'UPLOAD_ABORTED',
  'UPLOAD_EXPIRED',
  'UPLOAD_FAILED',
  'UPLOAD_SESSION_ENDED',
];

export interface UploadTarget {
  uploadId: string;
  tenantId: string;
}

/**
 * An upload intent of the tenant, freshly read.
 *
 * @throws AppError NOT_FOUND for an id that is unknown, malformed or of another tenant
 */
export async function findUpload(
  em: EntityManager,
  { uploadId, tenantId }: UploadTarget,
): Promise<UploadIntent> {
  return found(em, uploadId, tenantId);
}

/** Whether there is such an upload, open or ended. */
export async function isAnnounced(
  em: EntityManager,
  { uploadId: id, tenantId }: UploadTarget,
): Promise<boolean> {
  return (await em.count(UploadIntent, { id, tenantId })) > 0;
}

/** An upload intent like `findUpload`, with its row locked until the transaction ends, which serializes all changes of its state. */
export async function lockUpload(
  tx: EntityManager,
  { uploadId, tenantId }: UploadTarget,
): Promise<UploadIntent> {
  return found(tx, uploadId, tenantId, { lockMode: LockMode.PESSIMISTIC_WRITE });
}

async function found(
  em: EntityManager,
  id: string,
  tenantId: string,
  options: { lockMode?: LockMode.PESSIMISTIC_WRITE } = {},
): Promise<UploadIntent> {
  const intent = isUuid(id)
    ? await em.findOne(UploadIntent, { id: id.toLowerCase(), tenantId }, { refresh: true, ...options })
    : null;
  if (!intent) throw notFound('upload');
  return intent;
}

/** The id of the file that an upload becomes, or is a duplicate of. */
export function fileIdOf({ duplicateOf, fileId }: UploadIntent): string {
  return duplicateOf ?? fileId;
}

/** The existing files of a tenant's uploads, including those in the trash, unordered. */
export function findUploadedFiles(
  em: EntityManager,
  tenantId: string,
  intents: readonly UploadIntent[],
): Promise<StoredFile[]> {
  return em.find(StoredFile, { id: { $in: intents.map(fileIdOf) }, tenantId }, { refresh: true });
}

/** The key by which a client knows a file: the one it was given for a direct upload, otherwise the key of the object. */
export async function givenKey(
  em: EntityManager,
  { id: fileId, tenantId, objectKey }: StoredFile,
): Promise<string> {
  const intent = await em.findOne(UploadIntent, { fileId, tenantId });
  return intent?.objectKey ?? objectKey;
}

/** The keys given for the uploads of a session, by their position; empty if its files were streamed. */
export async function givenKeysOf(
  em: EntityManager,
  { id: sessionId, tenantId }: UploadSession,
): Promise<Map<number, string>> {
  const intents = await em.find(UploadIntent, { sessionId, tenantId });
  return new Map(intents.map(({ sessionIndex, objectKey }) => [sessionIndex ?? -1, objectKey]));
}

/**
 * Rejects an operation that requires an open upload.
 *
 * @throws AppError UPLOAD_COMPLETED, or why it has failed or was last reopened
 */
export function rejectClosedUpload(intent: UploadIntent, now = new Date()): void {
  if (intent.status === 'COMPLETED') throw new AppError('UPLOAD_COMPLETED', 'the upload is completed');
  if (!isIntentOpen(intent.status)) throw toAppError(intent);
  // Its expiry timer may be slightly late; its URLs are not.
  if (!intent.completeRequestedAt && intent.expiresAt <= now) {
    throw new AppError('UPLOAD_EXPIRED', 'the upload was not completed in time');
  }
}

/** The failure of an upload as an error, the same on every request. */
export function toAppError({ error }: UploadIntent): AppError {
  const message = error?.message ?? 'the upload has failed';
  const code = isErrorCode(error?.code) ? error.code : undefined;
  const details = code === 'QUOTA_EXHAUSTED' ? { retryAfterSeconds: secondsToCreditReset(new Date()) } : {};
  return new AppError(code ?? 'UPLOAD_FAILED', message, details);
}
