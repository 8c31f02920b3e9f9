import type { EntityManager } from '@mikro-orm/postgresql';
import { Folder } from '../../../db/entities/folders/folder.ts';
import { Project } from '../../../db/entities/folders/project.ts';
import { AppError } from '../../../domain/app-error.ts';
import { MAX_FOLDER_DEPTH, MAX_FOLDERS } from '../../../domain/limits.ts';
import { readLineage } from './read-folders.ts';

/** The destination of a folder, under the lock of the tree. */
export interface Place {
  tenantId: string;
  /** Null for the root. */
  parent: Folder | null;
  name: string;
}

/**
 * Refuses a name that a live sibling has.
 *
 * @param exceptId the folder itself
 * @throws AppError NAME_TAKEN
 */
export async function rejectTakenName(
  tx: EntityManager,
  { tenantId, parent, name }: Place,
  exceptId?: string,
): Promise<void> {
  const sibling = await tx.findOne(Folder, { tenantId, parentId: parent?.id ?? null, name, deletedAt: null });
  if (!sibling || sibling.id === exceptId) return;
  const where = parent ? `in "${parent.name}"` : 'in the root';
  throw new AppError('NAME_TAKEN', `there is already a folder "${name}" ${where}`);
}

/**
 * Refuses a place that is too deep.
 *
 * @param height levels of the subtree to be placed there
 * @throws AppError FOLDER_TOO_DEEP
 */
export async function rejectTooDeep(
  tx: EntityManager,
  { tenantId, parent }: Pick<Place, 'tenantId' | 'parent'>,
  height = 1,
): Promise<void> {
  const above = parent ? await readLineage(tx, tenantId, parent.id) : [];
  if (above.length + height <= MAX_FOLDER_DEPTH) return;
  const message = `folders may be ${MAX_FOLDER_DEPTH} levels deep; this would be ${above.length + height}`;
  throw new AppError('FOLDER_TOO_DEEP', message);
}

/** @throws AppError TOO_MANY_FOLDERS */
export async function rejectTooManyFolders(tx: EntityManager, tenantId: string): Promise<void> {
  if ((await tx.count(Folder, { tenantId, deletedAt: null })) < MAX_FOLDERS) return;
  throw new AppError('TOO_MANY_FOLDERS', `an account may have ${MAX_FOLDERS} folders; delete some first`);
}

/**
 * Refuses an archived project.
 *
 * @param projectId of a live folder; null for a folder without a project
 * @returns the project
 * @throws AppError PROJECT_ARCHIVED
 */
export async function rejectArchived(
  em: EntityManager,
  tenantId: string,
  projectId: string | null | undefined,
): Promise<Project | undefined> {
  if (!projectId) return undefined;
  const project = await em.findOneOrFail(Project, { tenantId, id: projectId }, { refresh: true });
  if (!project.archivedAt) return project;
  throw new AppError(
    'PROJECT_ARCHIVED',
    `the project "${project.name}" is archived; change it with "archived": false first`,
  );
}
