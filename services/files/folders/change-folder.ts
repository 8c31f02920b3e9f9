import type { EntityManager } from '@mikro-orm/postgresql';
import type { Folder } from '../../../db/entities/folders/folder.ts';
import { AppError } from '../../../domain/app-error.ts';
import { rejectArchived, rejectTakenName, rejectTooDeep } from './check-place.ts';
import { findFolder, isProjectRoot } from './find-folder.ts';
import { readSubtree, uuidArray } from './folder-tree.ts';
import { lockFolderTree } from './lock-folders.ts';

/** What may change of a folder; absent fields keep their values. */
export interface FolderChange {
  name?: string | undefined;
  /** Null moves it to the root. */
  parentId?: string | null | undefined;
}

/**
 * Renames or moves a folder. What is in it moves along, also into another project or out of one.
 *
 * @throws AppError NOT_FOUND, NAME_TAKEN, FOLDER_CYCLE, FOLDER_TOO_DEEP, PROJECT_ARCHIVED, PROJECT_ROOT
 */
export async function changeFolder(
  em: EntityManager,
  tenantId: string,
  folderId: string,
  change: FolderChange,
): Promise<Folder> {
  return em.transactional(async (tx) => {
    await lockFolderTree(tx, tenantId);
    const folder = await findFolder(tx, tenantId, folderId);
    if (isProjectRoot(folder)) {
      const message = 'this folder belongs to its project: rename or delete the project; it cannot be moved';
      throw new AppError('PROJECT_ROOT', message);
    }
    const { name = folder.name, parentId = folder.parentId } = change;
    const parent = parentId ? await findFolder(tx, tenantId, parentId) : null;
    const moves = (parent?.id ?? null) !== (folder.parentId ?? null);
    if (moves) await rejectMove(tx, folder, parent);
    await rejectTakenName(tx, { tenantId, parent, name }, folder.id);
    if (moves) await moveTo(tx, folder, parent);
    folder.name = name;
    return folder;
  });
}

async function rejectMove(tx: EntityManager, folder: Folder, parent: Folder | null): Promise<void> {
  const { tenantId, id } = folder;
  const { ids, height } = await readSubtree(tx, tenantId, id);
  if (parent && ids.includes(parent.id)) {
    throw new AppError('FOLDER_CYCLE', 'a folder cannot be moved into itself, nor into one below it');
  }
  await rejectTooDeep(tx, { tenantId, parent }, height);
  if (parent?.projectId !== folder.projectId) await rejectArchived(tx, tenantId, parent?.projectId);
}

async function moveTo(tx: EntityManager, folder: Folder, parent: Folder | null): Promise<void> {
  const { tenantId, id } = folder;
  const projectId = parent?.projectId ?? null;
  if (projectId !== (folder.projectId ?? null)) {
    const { ids } = await readSubtree(tx, tenantId, id);
    await tx.execute('update folders set project_id = ? where tenant_id = ? and id = any(?::uuid[])', [
      projectId,
      tenantId,
      uuidArray(ids),
    ]);
  }
  Object.assign(folder, { parentId: parent?.id ?? null, projectId });
}
