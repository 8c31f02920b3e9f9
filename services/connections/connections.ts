import type { EntityManager } from '@mikro-orm/postgresql';
import { Connection } from '../../db/entities/connections/connection.ts';
import type { ConnectionProvider } from '../../domain/connections.ts';
import { notFound } from '../../domain/app-error.ts';
import type { Actor } from '../accounts/principal.ts';
import { lockTenantAsAdmin } from '../accounts/tenants/lock-tenant.ts';
import { recordAuditEvent } from '../audit-log/record-audit-event.ts';
import { isUuid } from '../shared/sql.ts';

/** The connections of a tenant, latest first. */
export function listConnections(em: EntityManager, tenantId: string): Promise<Connection[]> {
  return em.find(Connection, { tenantId }, { orderBy: { createdAt: 'desc', id: 'desc' } });
}

/**
 * @param provider any unless given
 * @throws AppError NOT_FOUND for an id that is unknown, malformed, of another tenant or of another provider
 */
export async function findConnection(
  em: EntityManager,
  tenantId: string,
  id: string,
  provider?: ConnectionProvider,
): Promise<Connection> {
  const wanted = { id: id.toLowerCase(), tenantId, ...(provider && { provider }) };
  const found = isUuid(id) ? await em.findOne(Connection, wanted) : null;
  if (!found) throw notFound('connection');
  return found;
}

/**
 * Deletes a connection with its secret. Spreadsheets stay; an export that is writing one fails, as does an import.
 *
 * @throws AppError FORBIDDEN, NOT_FOUND
 */
export async function deleteConnection(em: EntityManager, actor: Actor, connectionId: string): Promise<void> {
  const { tenantId } = actor;
  await em.transactional(async (tx) => {
    await lockTenantAsAdmin(tx, actor);
    const { id, provider } = await findConnection(tx, tenantId, connectionId);
    if ((await tx.nativeDelete(Connection, { id, tenantId })) === 0) return;
    const resource = { type: 'connection', id };
    await recordAuditEvent(tx, {
      ...actor,
      type: 'connection.deleted',
      resource,
      metadata: { provider },
    });
  });
}
