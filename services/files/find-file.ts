import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { DirectUpload } from '../../db/entities/uploads/direct-upload.ts';
import { notFound, AppError, type ErrorCode } from '../../domain/app-error.ts';
import { isDirectUploadOpen } from '../../domain/uploads/direct-upload.ts';
import { isUuid } from '../shared/sql.ts';

/** The current row of a file, live or in the trash, locked until the transaction ends. */
export function lockFile(tx: EntityManager, tenantId: string, fileId: string): Promise<StoredFile | null> {
  return tx.findOne(
    StoredFile,
    { id: fileId, tenantId },
    { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
  );
}

/** The errors of finding a file; WORK_IN_PROGRESS for one whose upload is not verified yet. */
export const FILE_ERRORS: readonly ErrorCode[] = ['NOT_FOUND', 'AMBIGUOUS_ID', 'WORK_IN_PROGRESS'];

const PREFIX = /^[0-9a-f]{8}$/i;

/**
 * A live file of the tenant by its id, or by the first 8 characters of it.
 *
 * @throws AppError NOT_FOUND for an id that is unknown, malformed, deleted or of another tenant; AMBIGUOUS_ID for a
 *   prefix of several files; WORK_IN_PROGRESS for a file whose upload is not verified yet
 */
export function findFile(em: EntityManager, tenantId: string, id: string): Promise<StoredFile> {
  return find(em, { tenantId, deletedAt: null }, id);
}

/** The same, including files in the trash. */
export function findFileOrTrash(em: EntityManager, tenantId: string, id: string): Promise<StoredFile> {
  return find(em, { tenantId }, id);
}

/** The same for operators, whose tools have the credentials of the database: a file of any tenant. */
export async function findFileOfAnyTenant(em: EntityManager, id: string): Promise<StoredFile> {
  const [file, another] = await em.find(StoredFile, { id: idFilter(id) ?? { $in: [] } }, { limit: 2 });
  if (another) throw new AppError('AMBIGUOUS_ID', `several files begin with ${id}; use the whole id`);
  if (!file) throw notFound('file');
  return file;
}

async function find(
  em: EntityManager,
  among: { tenantId: string; deletedAt?: null },
  id: string,
): Promise<StoredFile> {
  const filter = idFilter(id);
  if (filter) {
    const [file, another] = await em.find(StoredFile, { id: filter, ...among }, { limit: 2 });
    if (another) throw new AppError('AMBIGUOUS_ID', `several files begin with ${id}; use the whole id`);
    if (file) return file;
  }
  if (!filter || !isUuid(id)) throw notFound('file');
  const refusal = await explainAbsentFile(em, among.tenantId, id.toLowerCase(), notFound('file'));
  // Its upload may have become a file between the two reads.
  const [late] = await em.find(StoredFile, { id: filter, ...among }, { limit: 1 });
  if (late) return late;
  throw refusal;
}

/** The ids that are this UUID or begin with these 8 characters; undefined for anything else. */
function idFilter(id: string): { $gte: string; $lte: string } | undefined {
  if (isUuid(id)) return { $gte: id.toLowerCase(), $lte: id.toLowerCase() };
  if (!PREFIX.test(id)) return undefined;
  return { $gte: `${id}-0000-0000-0000-000000000000`, $lte: `${id}-ffff-ffff-ffff-ffffffffffff` };
}

const RETRY_AFTER_SECONDS = 5;

/**
 * Explains why a file announced by a direct upload does not exist: it is not verified yet, has failed, or turned out to
 * be a duplicate.
 *
 * @param refusal the error in all other cases
 */
async function explainAbsentFile(
  em: EntityManager,
  tenantId: string,
  fileId: string,
  refusal: AppError,
): Promise<AppError> {
  const upload = await em.findOne(DirectUpload, { fileId, tenantId });
  if (!upload) return refusal;
  const where = `see /api/v2/files/direct-uploads/${upload.id}`;
  if (upload.duplicateOf) {
    return new AppError('NOT_FOUND', `the upload was a duplicate of file ${upload.duplicateOf}; ${where}`);
  }
  if (isDirectUploadOpen(upload.status)) {
    const state = upload.completeRequestedAt ? 'is being verified' : 'is not complete yet';
    const retry = upload.completeRequestedAt ? { retryAfterSeconds: RETRY_AFTER_SECONDS } : {};
    return new AppError('WORK_IN_PROGRESS', `the upload of this file ${state}; ${where}`, retry);
  }
  if (upload.status === 'COMPLETED') return refusal;
  return new AppError(
    'NOT_FOUND',
    `the upload failed: ${upload.error?.message ?? 'unknown reason'}; ${where}`,
  );
}

/** The errors of finding a file or its upload. */
export const FILE_OR_UPLOAD_ERRORS: readonly ErrorCode[] = ['NOT_FOUND', 'AMBIGUOUS_ID'];

/**
 * A file by its id, or its upload: clients of direct uploads have the id before the file exists. An upload that turned
 * out to be a duplicate resolves to the existing file.
 *
 * @throws AppError NOT_FOUND, AMBIGUOUS_ID
 */
export async function findFileOrUpload(
  em: EntityManager,
  tenantId: string,
  id: string,
): Promise<{ file: StoredFile } | { uploading: DirectUpload }> {
  try {
    return { file: await findFile(em, tenantId, id) };
  } catch (error) {
    const fileId = idFilter(id);
    if (!(error instanceof AppError) || error.code === 'AMBIGUOUS_ID' || !fileId) throw error;
    const [upload, another] = await em.find(DirectUpload, { fileId, tenantId }, { limit: 2, refresh: true });
    if (!upload || another) throw error;
    if (upload.duplicateOf) return { file: await findFile(em, tenantId, upload.duplicateOf) };
    // Completed meanwhile, or the file no longer exists.
    if (upload.status === 'COMPLETED') return { file: await findFile(em, tenantId, upload.fileId) };
    return { uploading: upload };
  }
}
