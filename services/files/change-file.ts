import type { EntityManager } from '@mikro-orm/postgresql';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { notFound } from '../../domain/app-error.ts';
import { lockFile } from './lock-file.ts';

/** The user-editable fields of a file; absent fields keep their values. */
export interface FileChange {
  /** Null falls back to the file name. */
  title?: string | null;
  tags?: string[];
  /** Null falls back to the model's description. */
  userDescription?: string | null;
}

/**
 * Updates only the given fields of a live file. The row stays locked until the response is read, which could otherwise
 * show a later change.
 *
 * @throws AppError NOT_FOUND when it was deleted meanwhile
 */
export async function changeFile(
  em: EntityManager,
  file: Pick<StoredFile, 'id' | 'tenantId'>,
  change: FileChange,
): Promise<StoredFile> {
  return em.transactional(async (tx) => {
    const locked = await lockFile(tx, file.tenantId, file.id);
    if (!locked || locked.deletedAt) throw notFound('file');
    return Object.assign(locked, change, { updatedAt: new Date() });
  });
}
