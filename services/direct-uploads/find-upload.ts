import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { DirectUpload } from '../../db/entities/uploads/direct-upload.ts';
import { notFound, AppError, isErrorCode, type ErrorCode } from '../../domain/app-error.ts';
import { isUuid } from '../shared/sql.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { secondsToCreditReset } from '../../domain/accounts/credits.ts';
import { isDirectUploadOpen } from '../../domain/uploads/direct-upload.ts';

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
 * A direct upload of the tenant, freshly read.
 *
 * @throws AppError NOT_FOUND for an id that is unknown, malformed or of another tenant
 */
export async function findUpload(
  em: EntityManager,
  { uploadId, tenantId }: UploadTarget,
): Promise<DirectUpload> {
  return found(em, uploadId, tenantId);
}

/** Whether there is such an upload, open or ended. */
export async function isAnnounced(
  em: EntityManager,
  { uploadId: id, tenantId }: UploadTarget,
): Promise<boolean> {
  return (await em.count(DirectUpload, { id, tenantId })) > 0;
}

/** A direct upload like `findUpload`, with its row locked until the transaction ends, which serializes all changes of its state. */
export async function lockUpload(
  tx: EntityManager,
  { uploadId, tenantId }: UploadTarget,
): Promise<DirectUpload> {
  return found(tx, uploadId, tenantId, { lockMode: LockMode.PESSIMISTIC_WRITE });
}

async function found(
  em: EntityManager,
  id: string,
  tenantId: string,
  options: { lockMode?: LockMode.PESSIMISTIC_WRITE } = {},
): Promise<DirectUpload> {
  const upload = isUuid(id)
    ? await em.findOne(DirectUpload, { id: id.toLowerCase(), tenantId }, { refresh: true, ...options })
    : null;
  if (!upload) throw notFound('upload');
  return upload;
}

/** The id of the file that an upload becomes, or is a duplicate of. */
export function fileIdOf({ duplicateOf, fileId }: DirectUpload): string {
  return duplicateOf ?? fileId;
}

/** The existing files of a tenant's uploads, including those in the trash, unordered. */
export function findUploadedFiles(
  em: EntityManager,
  tenantId: string,
  uploads: readonly DirectUpload[],
): Promise<StoredFile[]> {
  return em.find(StoredFile, { id: { $in: uploads.map(fileIdOf) }, tenantId }, { refresh: true });
}

/** The key by which a client knows a file: the one it was given for a direct upload, otherwise the key of the object. */
export async function givenKey(
  em: EntityManager,
  { id: fileId, tenantId, objectKey }: StoredFile,
): Promise<string> {
  const upload = await em.findOne(DirectUpload, { fileId, tenantId });
  return upload?.objectKey ?? objectKey;
}

/** The keys given for the uploads of a session, by their position; empty if its files were streamed. */
export async function givenKeysOf(
  em: EntityManager,
  { id: sessionId, tenantId }: UploadSession,
): Promise<Map<number, string>> {
  const uploads = await em.find(DirectUpload, { sessionId, tenantId });
  return new Map(uploads.map(({ sessionIndex, objectKey }) => [sessionIndex ?? -1, objectKey]));
}

/**
 * Rejects an operation that requires an open upload.
 *
 * @throws AppError UPLOAD_COMPLETED, or why it has failed or was last reopened
 */
export function rejectClosedUpload(upload: DirectUpload, now = new Date()): void {
  if (upload.status === 'COMPLETED') throw new AppError('UPLOAD_COMPLETED', 'the upload is completed');
  if (!isDirectUploadOpen(upload.status)) throw toAppError(upload);
  // Its expiry timer may be slightly late; its URLs are not.
  if (!upload.completeRequestedAt && upload.expiresAt <= now) {
    throw new AppError('UPLOAD_EXPIRED', 'the upload was not completed in time');
  }
}

/** The failure of an upload as an error, the same on every request. */
export function toAppError({ error }: DirectUpload): AppError {
  const message = error?.message ?? 'the upload has failed';
  const code = isErrorCode(error?.code) ? error.code : undefined;
  const details = code === 'QUOTA_EXHAUSTED' ? { retryAfterSeconds: secondsToCreditReset(new Date()) } : {};
  return new AppError(code ?? 'UPLOAD_FAILED', message, details);
}
