import type { EntityManager } from '@mikro-orm/postgresql';
import { Folder } from '../../../db/entities/folders/folder.ts';
import type { Project } from '../../../db/entities/folders/project.ts';
import type { ContentCategory } from '../../../domain/content-categories.ts';
import { rejectTakenName } from './check-place.ts';
import { lockFolderTree } from './folders.ts';
import { rejectTakenSlug } from './create-project.ts';
import { findProject } from './find-project.ts';

/** The editable fields of a project; absent fields keep their values. */
export interface ProjectChange {
  /** Also renames its root folder. */
  name?: string | undefined;
  slug?: string | undefined;
  description?: string | null | undefined;
  defaultContentCategory?: ContentCategory | null | undefined;
  defaultSchemaId?: string | null | undefined;
  archived?: boolean | undefined;
}

/** @throws AppError NOT_FOUND, NAME_TAKEN */
export async function changeProject(
  em: EntityManager,
  tenantId: string,
  projectId: string,
  { name, slug, description, defaultContentCategory, defaultSchemaId, archived }: ProjectChange,
): Promise<Project> {
  return em.transactional(async (tx) => {
    await lockFolderTree(tx, tenantId);
    const project = await findProject(tx, tenantId, projectId);
    const { rootFolderId } = project;
    if (name !== undefined) await rejectTakenName(tx, { tenantId, parent: null, name }, rootFolderId);
    if (slug !== undefined) await rejectTakenSlug(tx, tenantId, slug, project.id);
    if (name !== undefined) await tx.nativeUpdate(Folder, { tenantId, id: rootFolderId }, { name });
    return Object.assign(project, {
      ...(name !== undefined && { name }),
      ...(slug !== undefined && { slug }),
      ...(description !== undefined && { description }),
      ...(defaultContentCategory !== undefined && { defaultContentCategory }),
      ...(defaultSchemaId !== undefined && { defaultSchemaId }),
      // Archiving again keeps the first time.
      ...(archived !== undefined && { archivedAt: archived ? (project.archivedAt ?? new Date()) : null }),
    });
  });
}
