import type { EntityManager } from '@mikro-orm/postgresql';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { UploadIntent } from '../../db/entities/uploads/upload-intent.ts';
import { AppError, type ErrorCode } from '../../domain/app-error.ts';
import { findFile, idFilter } from './find-file.ts';

/** The errors of finding a file or its upload. */
export const FILE_OR_UPLOAD_ERRORS: readonly ErrorCode[] = ['NOT_FOUND', 'AMBIGUOUS_ID'];

/**
 * A file by its id, which clients of direct uploads know before the file exists: until then, its upload. An upload that
 * turned out to be a duplicate resolves to the existing file.
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
    // Meanwhile, or the file no longer exists.
    if (intent.status === 'COMPLETED') return { file: await findFile(em, tenantId, intent.fileId) };
    return { uploading: intent };
  }
}
