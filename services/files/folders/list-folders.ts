import type { EntityManager } from '@mikro-orm/postgresql';
import { Folder } from '../../../db/entities/folders/folder.ts';
import { findProject } from './find-project.ts';
import { findFolder } from './find-folder.ts';
import { readFolders, type FolderView } from './read-folders.ts';

export interface FolderListQuery {
  /** Only the folders directly in this one, or in the root. */
  parentId?: string | undefined;
  /** Only the folders of this project. */
  projectId?: string | undefined;
  limit: number;
  offset: number;
}

/** What names the root where a folder is expected. */
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
