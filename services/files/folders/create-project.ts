import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Project } from '../../../db/entities/folders/project.ts';
import { AppError, notFound } from '../../../domain/app-error.ts';
import type { ContentCategory } from '../../../domain/content-categories.ts';
import { slugOf } from '../../../domain/folders/slug.ts';
import { rejectTakenName, rejectTooManyFolders } from './check-place.ts';
import { insertFolder, lockFolderTree } from './folders.ts';

export interface NewProject {
  id: string;
  name: string;
  /** Derived from the name by default. */
  slug?: string | undefined;
  description: string | null;
  defaultContentCategory: ContentCategory | null;
  defaultSchemaId: string | null;
}

/**
 * Creates a project and its root folder, which has the same name. Idempotent by its id: a repeat returns what exists.
 *
 * @throws AppError NAME_TAKEN, TOO_MANY_FOLDERS
 */
export async function createProject(
  em: EntityManager,
  tenantId: string,
  { id, name, slug, description, defaultContentCategory, defaultSchemaId }: NewProject,
): Promise<Project> {
  return em.transactional(async (tx) => {
    await lockFolderTree(tx, tenantId);
    const known = await tx.findOne(Project, { tenantId, id });
    if (known?.deletedAt) throw notFound('project');
    if (known) return known;

    await rejectTooManyFolders(tx, tenantId);
    await rejectTakenName(tx, { tenantId, parent: null, name });
    if (slug !== undefined) await rejectTakenSlug(tx, tenantId, slug);
    const rootFolderId = randomUUID();
    const project = tx.create(Project, {
      tenantId,
      id,
      name,
      slug: slug ?? slugOf(name, await takenSlugs(tx, tenantId)),
      description,
      rootFolderId,
      defaultContentCategory,
      defaultSchemaId,
      createdAt: new Date(),
      archivedAt: null,
      deletedAt: null,
    });
    await tx.persist(project).flush();
    insertFolder(tx, { tenantId, id: rootFolderId, parentId: null, projectId: id, name });
    return project;
  });
}

/** @throws AppError NAME_TAKEN */
export async function rejectTakenSlug(
  tx: EntityManager,
  tenantId: string,
  slug: string,
  exceptId?: string,
): Promise<void> {
  const other = await tx.findOne(Project, { tenantId, slug, deletedAt: null });
  if (!other || other.id === exceptId) return;
  throw new AppError('NAME_TAKEN', `the project "${other.name}" has the slug "${slug}"`);
}

async function takenSlugs(tx: EntityManager, tenantId: string): Promise<Set<string>> {
  const projects = await tx.find(Project, { tenantId, deletedAt: null }, { fields: ['slug'] });
  return new Set(projects.map(({ slug }) => slug));
}
