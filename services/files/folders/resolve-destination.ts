import type { EntityManager } from '@mikro-orm/postgresql';
import type { ContentCategory } from '../../../domain/content-categories.ts';
import { findProject } from './find-project.ts';
import { rejectArchived } from './check-place.ts';
import { findFolder } from './folders.ts';

/** Where the files of a request go. */
export interface Destination {
  /** Null in the root. */
  folderId: string | null;
  /** Of files whose client names no content category. */
  contentCategory: ContentCategory;
  /** Of files whose client names no saved schema. */
  schemaId?: string;
}

/** Of uploads that name neither folder nor project. */
export const ROOT_DESTINATION: Destination = { folderId: null, contentCategory: 'general' };

/**
 * The folder that an upload names, or the root folder of the project that it names; the folder wins. Whether the folder
 * is still there when the file has arrived is for `lockFolder` to say.
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
