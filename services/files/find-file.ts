import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { UploadIntent } from '../../db/entities/uploads/upload-intent.ts';
import { notFound, AppError, type ErrorCode } from '../../domain/app-error.ts';
import { isIntentOpen } from '../../domain/uploads/upload-intent.ts';
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
  const intent = await em.findOne(UploadIntent, { fileId, tenantId });
  if (!intent) return refusal;
  const where = `see /api/v2/files/direct-uploads/${intent.id}`;
  if (intent.duplicateOf) {
    return new AppError('NOT_FOUND', `the upload was a duplicate of file ${intent.duplicateOf}; ${where}`);
  }
  if (isIntentOpen(intent.status)) {
    const state = intent.completeRequestedAt ? 'is being verified' : 'is not complete yet';
    const retry = intent.completeRequestedAt ? { retryAfterSeconds: RETRY_AFTER_SECONDS } : {};
    return new AppError('WORK_IN_PROGRESS', `the upload of this file ${state}; ${where}`, retry);
  }
  if (intent.status === 'COMPLETED') return refusal;
  return new AppError(
    'NOT_FOUND',
    `the upload failed: ${intent.error?.message ?? 'unknown reason'}; ${where}`,
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
): Promise<{ file: StoredFile } | { uploading: UploadIntent }> {
  try {
    return { file: await findFile(em, tenantId, id) };
  } catch (error) {
    const fileId = idFilter(id);
    if (!(error instanceof AppError) || error.code === 'AMBIGUOUS_ID' || !fileId) throw error;
    const [intent, another] = await em.find(UploadIntent, { fileId, tenantId }, { limit: 2, refresh: true });
    if (!intent || another) throw error;
    if (intent.duplicateOf) return { file: await findFile(em, tenantId, intent.duplicateOf) };
    // Completed meanwhile, or the file no longer exists.
    if (intent.status === 'COMPLETED') return { file: await findFile(em, tenantId, intent.fileId) };
    return { uploading: intent };
  }
}
