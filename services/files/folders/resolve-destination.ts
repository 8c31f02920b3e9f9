import type { EntityManager } from '@mikro-orm/postgresql';
import type { ContentCategory } from '../../../domain/content-categories.ts';
import { findProject } from './find-project.ts';
import { rejectArchived } from './check-place.ts';
import { findFolder } from './folders.ts';

/** The destination of a request's files. */
export interface Destination {
  /** Null for the root. */
  folderId: string | null;
  /** The default content category of its files. */
  contentCategory: ContentCategory;
  /** The default saved schema of its files. */
  schemaId?: string;
}

/** For uploads without folder or project. */
export const ROOT_DESTINATION: Destination = { folderId: null, contentCategory: 'general' };

/**
 * The folder of an upload, or the root folder of its project; the folder takes precedence. `lockFolder` checks that the
 * folder still exists once the file has arrived.
 *
 * @throws AppError NOT_FOUND, PROJECT_ARCHIVED
 */
export async function resolveDestination(
  em: EntityManager,
  tenantId: string,
  { folderId, projectId }: { folderId?: string | null | undefined; projectId?: string | null | undefined },
): Promise<Destination> {
  const named = projectId ? await findProject(em, tenantId, projectId) : undefined;
  const folder = folderId ? await findFolder(em, tenantId, folderId) : undefined;
  const project = await rejectArchived(em, tenantId, folder ? folder.projectId : named?.id);
  return {
    folderId: folder?.id ?? project?.rootFolderId ?? null,
    contentCategory: project?.defaultContentCategory ?? 'general',
    ...(project?.defaultSchemaId && { schemaId: project.defaultSchemaId }),
  };
}
