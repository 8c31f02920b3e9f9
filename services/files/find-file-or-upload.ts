import type { EntityManager } from '@mikro-orm/postgresql';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { UploadIntent } from '../../db/entities/uploads/upload-intent.ts';
import { AppError } from '../../domain/app-error.ts';
import { isUuid } from '../shared/ids.ts';
import { findFile } from './find-file.ts';

/**
 * A file by its id, which clients of presigned uploads know before the file exists: until then, its upload. An upload
 * that turned out to be a duplicate resolves to the existing file.
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
    if (!(error instanceof AppError && error.code === 'NOT_FOUND' && isUuid(id))) throw error;
    const intent = await em.findOne(UploadIntent, { fileId: id.toLowerCase(), tenantId }, { refresh: true });
    if (intent?.duplicateOf) return { file: await findFile(em, tenantId, intent.duplicateOf) };
    // The upload became a file that no longer exists.
    if (!intent || intent.status === 'COMPLETED') throw error;
    return { uploading: intent };
  }
}
