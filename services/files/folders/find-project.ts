import type { EntityManager } from '@mikro-orm/postgresql';
import { Project } from '../../../db/entities/folders/project.ts';
import { notFound } from '../../../domain/app-error.ts';
import { isUuid } from '../../shared/sql.ts';

/**
 * A live project of the tenant, archived or not.
 *
 * @throws AppError NOT_FOUND for an id that is unknown, malformed, deleted or of another tenant
 */
export async function findProject(em: EntityManager, tenantId: string, id: string): Promise<Project> {
  const project = isUuid(id)
    ? await em.findOne(Project, { tenantId, id: id.toLowerCase(), deletedAt: null }, { refresh: true })
    : null;
  if (!project) throw notFound('project');
  return project;
}

/** One page of a tenant's projects by name, and the total count. */
export async function listProjects(
  em: EntityManager,
  tenantId: string,
  { archived, limit, offset }: { archived?: boolean | undefined; limit: number; offset: number },
): Promise<{ projects: Project[]; totalCount: number }> {
  const where = {
    tenantId,
    deletedAt: null,
    ...(archived !== undefined && { archivedAt: archived ? { $ne: null } : null }),
  };
  const projects = await em.find(Project, where, { limit, offset, orderBy: { name: 'asc', id: 'asc' } });
  return { projects, totalCount: await em.count(Project, where) };
}
