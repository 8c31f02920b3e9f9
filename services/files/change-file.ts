import type { EntityManager } from '@mikro-orm/postgresql';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { notFound } from '../../domain/app-error.ts';
import { rejectArchived } from './folders/check-place.ts';
import { lockFolder } from './folders/folders.ts';
import { readProjectsOfFolders } from './folders/read-folders.ts';
import { lockFile } from './find-file.ts';

/** The user-editable fields of a file; absent fields keep their values. */
export interface FileChange {
  /** Null falls back to the file name. */
  title?: string | null;
  tags?: string[];
  /** Null falls back to the model's description. */
  userDescription?: string | null;
  /** Null moves it to the root. */
  folderId?: string | null;
}

/**
 * Updates only the given fields of a live file. The row stays locked until the response is read, which could otherwise
 * show a later change.
 *
 * @throws AppError NOT_FOUND when it was deleted meanwhile, or for the folder; PROJECT_ARCHIVED
 */
export async function changeFile(
  em: EntityManager,
  file: Pick<StoredFile, 'id' | 'tenantId'>,
  change: FileChange,
): Promise<StoredFile> {
  return em.transactional(async (tx) => {
    const locked = await lockFile(tx, file.tenantId, file.id);
    if (!locked || locked.deletedAt) throw notFound('file');
    if (change.folderId && change.folderId !== locked.folderId) {
      await admitToFolder(tx, locked, change.folderId);
    }
    return Object.assign(locked, change, { updatedAt: new Date() });
  });
}

/** @throws AppError NOT_FOUND; PROJECT_ARCHIVED, except within the archived project */
async function admitToFolder(
  tx: EntityManager,
  { tenantId, folderId }: Pick<StoredFile, 'tenantId' | 'folderId'>,
  givenId: string,
): Promise<void> {
  if (!(await lockFolder(tx, tenantId, givenId))) throw notFound('folder');
  const projects = await readProjectsOfFolders(tx, tenantId, [folderId, givenId]);
  const projectId = projects.get(givenId);
  if (projectId !== projects.get(folderId ?? '')) await rejectArchived(tx, tenantId, projectId);
}
