import type { EntityManager } from '@mikro-orm/postgresql';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { notFound } from '../../domain/app-error.ts';
import { lockFile } from './lock-file.ts';

/** What people may change of a file; what is absent stays. */
export interface FileChange {
  /** Null: it goes by its file name. */
  title?: string | null;
  tags?: string[];
  /** Null: the model's description counts again. */
  userDescription?: string | null;
}

/**
 * Changes a live file, and nothing of it but what is named. The row stays locked until the answer is read, which else
 * could show what a change after this one wrote.
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
