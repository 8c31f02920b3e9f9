import type { EntityManager } from '@mikro-orm/postgresql';
import { Folder } from '../../../db/entities/folders/folder.ts';
import { findProject } from './find-project.ts';
import { findFolder, ROOT } from './folders.ts';
import { readSubtree } from './read-folders.ts';

/** The folders named in a request about files; absent fields restrict nothing. */
export interface FolderSelection {
  /** Id of a folder, or `root`. Takes precedence over a project. */
  folderId?: string | undefined;
  /** Includes the folders below it. */
  includeSubfolders?: boolean | undefined;
  /** A whole project. */
  projectId?: string | undefined;
}

/** The folders that a request about files is limited to, at the time of the request. */
export interface FolderScope {
  selection: FolderSelection;
  /** Null for the files in the root. */
  folderIds: string[] | null;
}

/**
 * The folders of a selection.
 *
 * @returns undefined for all files
 * @throws AppError NOT_FOUND
 */
export async function resolveScope(
  em: EntityManager,
  tenantId: string,
  selection: FolderSelection,
): Promise<FolderScope | undefined> {
  const { folderId, includeSubfolders = false, projectId } = selection;
  const project = projectId === undefined ? undefined : await findProject(em, tenantId, projectId);
  if (folderId === ROOT) return includeSubfolders ? undefined : { selection, folderIds: null };
  if (folderId !== undefined) {
    const { id } = await findFolder(em, tenantId, folderId);
    const folderIds = includeSubfolders ? (await readSubtree(em, tenantId, id)).ids : [id];
    return { selection, folderIds };
  }
  if (!project) return undefined;
  const folders = await em.find(
    Folder,
    { tenantId, projectId: project.id, deletedAt: null },
    { fields: ['id'], orderBy: { id: 'asc' } },
  );
  return { selection, folderIds: folders.map(({ id }) => id) };
}
