import type { EntityManager } from '@mikro-orm/postgresql';
import { Connection } from '../../db/entities/connections/connection.ts';
import { notFound } from '../../domain/app-error.ts';
import { isUuid } from '../shared/ids.ts';

/** The connections of a tenant, latest first. */
export function listConnections(em: EntityManager, tenantId: string): Promise<Connection[]> {
  return em.find(Connection, { tenantId }, { orderBy: { createdAt: 'desc', id: 'desc' } });
}

/** @throws AppError NOT_FOUND for an id that is unknown, malformed or of another tenant */
export async function findConnection(em: EntityManager, tenantId: string, id: string): Promise<Connection> {
  const found = isUuid(id) ? await em.findOne(Connection, { id: id.toLowerCase(), tenantId }) : null;
  if (!found) throw notFound('connection');
  return found;
}
