import type { EntityManager } from '@mikro-orm/postgresql';
import { Folder } from '../../../db/entities/folders/folder.ts';
import { notFound } from '../../../domain/app-error.ts';
import { isUuid } from '../../shared/ids.ts';

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

/** Whether a folder is the one that its project owns. */
export function isProjectRoot({ parentId, projectId }: Folder): boolean {
  return !parentId && Boolean(projectId);
}
