import type { EntityManager } from '@mikro-orm/postgresql';
import { Folder } from '../../../db/entities/folders/folder.ts';
import { notFound } from '../../../domain/app-error.ts';
import { findProject } from './find-project.ts';
import { rejectArchived, rejectTakenName, rejectTooDeep, rejectTooManyFolders } from './check-place.ts';
import { findFolder } from './find-folder.ts';
import { lockFolderTree } from './lock-folders.ts';

export interface NewFolder {
  id: string;
  name: string;
  parentId?: string | undefined;
  /** Its root folder is the parent where there is no other. */
  projectId?: string | undefined;
}

/**
 * Creates a folder. Idempotent by its id: a repeat returns what exists.
 *
 * @throws AppError NOT_FOUND, NAME_TAKEN, FOLDER_TOO_DEEP, TOO_MANY_FOLDERS, PROJECT_ARCHIVED
 */
export async function createFolder(
  em: EntityManager,
  tenantId: string,
  { id, name, parentId, projectId }: NewFolder,
): Promise<Folder> {
  return em.transactional(async (tx) => {
    await lockFolderTree(tx, tenantId);
    const known = await tx.findOne(Folder, { tenantId, id });
    if (known?.deletedAt) throw notFound('folder');
    if (known) return known;

    const project = projectId === undefined ? undefined : await findProject(tx, tenantId, projectId);
    const parentOrRootId = parentId ?? project?.rootFolderId;
    const parent = parentOrRootId === undefined ? null : await findFolder(tx, tenantId, parentOrRootId);
    await rejectArchived(tx, tenantId, parent?.projectId);
    await rejectTooManyFolders(tx, tenantId);
    await rejectTooDeep(tx, { tenantId, parent });
    await rejectTakenName(tx, { tenantId, parent, name });
    return insertFolder(tx, {
      tenantId,
      id,
      parentId: parent?.id ?? null,
      projectId: parent?.projectId ?? null,
      name,
    });
  });
}

/** The row of a new folder, whose place was checked. */
export function insertFolder(
  tx: EntityManager,
  folder: Pick<Folder, 'tenantId' | 'id' | 'parentId' | 'projectId' | 'name'>,
): Folder {
  const created = tx.create(Folder, { ...folder, createdAt: new Date(), deletedAt: null, emptyDueAt: null });
  tx.persist(created);
  return created;
}
