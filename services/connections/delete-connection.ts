import type { EntityManager } from '@mikro-orm/postgresql';
import { Connection } from '../../db/entities/connections/connection.ts';
import type { Actor } from '../accounts/actor.ts';
import { recordAuditEvent } from '../audit-log/record-audit-event.ts';
import { findConnection } from './find-connections.ts';

/**
 * Deletes a connection with its refresh token. Spreadsheets stay; an export that is writing one fails.
 *
 * @throws AppError NOT_FOUND
 */
export async function deleteConnection(
  em: EntityManager,
  { tenantId, userId: _userId, ...who }: Actor,
  connectionId: string,
): Promise<void> {
  await em.transactional(async (tx) => {
    const { id, provider } = await findConnection(tx, tenantId, connectionId);
    if ((await tx.nativeDelete(Connection, { id, tenantId })) === 0) return;
    const resource = { type: 'connection', id };
    await recordAuditEvent(tx, {
      ...who,
      tenantId,
      type: 'connection.deleted',
      resource,
      metadata: { provider },
    });
  });
}
