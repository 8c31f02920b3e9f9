import type { EntityManager } from '@mikro-orm/postgresql';
import { Folder } from '../../../db/entities/folders/folder.ts';
import { notFound, AppError } from '../../../domain/app-error.ts';
import { isUuid } from '../../shared/sql.ts';
import { findProject } from './find-project.ts';
import { readFolders, type FolderView, readSubtree, uuidArray } from './read-folders.ts';
import { rejectArchived, rejectTakenName, rejectTooDeep, rejectTooManyFolders } from './check-place.ts';

/**
 * A live folder of the tenant.
 *
 * @throws AppError NOT_FOUND for an id that is unknown, malformed, deleted or of another tenant
 */
export async function findFolder(em: EntityManager, tenantId: string, id: string): Promise<Folder> {
  const folder = isUuid(id)
    ? await em.findOne(Folder, { tenantId, id: id.toLowerCase(), deletedAt: null }, { refresh: true })
    : null;
  if (!folder) throw notFound('folder');
  return folder;
}

/** Whether a folder is the root folder of its project. */
export function isProjectRoot({ parentId, projectId }: Folder): boolean {
  return !parentId && Boolean(projectId);
}

interface FolderListQuery {
  /** Only the folders directly in this one, or in the root. */
  parentId?: string | undefined;
  /** Only the folders of this project. */
  projectId?: string | undefined;
  limit: number;
  offset: number;
}

/** The id that stands for the root where a folder is expected. */
export const ROOT = 'root';

/**
 * One page of a tenant's folders by name, and the total count.
 *
 * @throws AppError NOT_FOUND
 */
export async function listFolders(
  em: EntityManager,
  tenantId: string,
  { parentId, projectId, limit, offset }: FolderListQuery,
): Promise<{ folders: FolderView[]; totalCount: number }> {
  const parent =
    parentId === undefined || parentId === ROOT ? null : await findFolder(em, tenantId, parentId);
  const project = projectId === undefined ? undefined : await findProject(em, tenantId, projectId);
  const where = {
    tenantId,
    deletedAt: null,
    ...(parentId !== undefined && { parentId: parent?.id ?? null }),
    ...(project && { projectId: project.id }),
  };
  const page = await em.find(Folder, where, { limit, offset, orderBy: { name: 'asc', id: 'asc' } });
  const totalCount = await em.count(Folder, where);
  return { folders: await readFolders(em, tenantId, page), totalCount };
}

interface NewFolder {
  id: string;
  name: string;
  parentId?: string | undefined;
  /** If there is no `parentId`, the parent is the project's root folder. */
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

/** Inserts a new folder whose place was checked. */
export function insertFolder(
  tx: EntityManager,
  folder: Pick<Folder, 'tenantId' | 'id' | 'parentId' | 'projectId' | 'name'>,
): Folder {
  const created = tx.create(Folder, { ...folder, createdAt: new Date(), deletedAt: null, emptyDueAt: null });
  tx.persist(created);
  return created;
}

/** The editable fields of a folder; absent fields keep their values. */
interface FolderChange {
  name?: string | undefined;
  /** Null moves it to the root. */
  parentId?: string | null | undefined;
}

/**
 * Renames or moves a folder. Its contents move along, also into another project or out of one.
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

/**
 * Locks the tree of a tenant's folders until the transaction ends. Every creation, change and deletion of a folder or
 * project holds it, so that two moves cannot make a cycle together. Uploads do not.
 */
export async function lockFolderTree(tx: EntityManager, tenantId: string): Promise<void> {
  await tx.execute('select pg_advisory_xact_lock(hashtextextended(?, 2))', [tenantId]);
}

/**
 * Locks a folder against deletion until the transaction ends, so that a file can be put into it. Shared: other files
 * can be put there at the same time. Lock order everywhere: contents and files before folders, credits after them.
 *
 * @returns false when it is deleted, unknown or of another tenant
 */
export async function lockFolder(tx: EntityManager, tenantId: string, folderId: string): Promise<boolean> {
  const found: unknown[] = await tx.execute(
    'select 1 from folders where tenant_id = ? and id = ? and deleted_at is null for share',
    [tenantId, folderId],
  );
  return found.length > 0;
}
