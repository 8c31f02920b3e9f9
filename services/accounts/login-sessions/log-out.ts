import type { EntityManager } from '@mikro-orm/postgresql';
import { recordAuditEvent } from '../../audit-log/record-audit-event.ts';
import { hashToken } from '../tokens/secret-token.ts';

/** Ends the session of a cookie. Idempotent. */
export async function logOut(em: EntityManager, token: string, ipAddress: string): Promise<void> {
  await em.transactional(async (tx) => {
    const [session] = await tx.execute<{ id: string; user_id: string; tenant_id: string }[]>(
      'delete from login_sessions where token_hash = ? returning id, user_id, tenant_id',
      [hashToken(token)],
    );
    if (!session) return;
    await recordAuditEvent(tx, {
      tenantId: session.tenant_id,
      type: 'auth.logout',
      userId: session.user_id,
      ipAddress,
      resource: { type: 'session', id: session.id },
    });
  });
}
