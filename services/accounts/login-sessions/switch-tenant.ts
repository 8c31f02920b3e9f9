import type { EntityManager } from '@mikro-orm/postgresql';
import { LoginSession } from '../../../db/entities/accounts/login-session.ts';
import { Membership } from '../../../db/entities/accounts/membership.ts';
import { notFound } from '../../../domain/app-error.ts';
import { recordAuditEvent } from '../../audit-log/record-audit-event.ts';
import type { Principal } from '../principal.ts';
import { findTenantsOfUser } from '../tenants/find-tenants-of-user.ts';
import { loginOf } from './login-of.ts';

/**
 * Lets the session act in another tenant of its user, from the next request on.
 *
 * @throws AppError NOT_FOUND, also for a tenant that the user is no member of
 */
export async function switchTenant(
  em: EntityManager,
  principal: Principal,
  tenantId: string,
  ipAddress: string,
): Promise<void> {
  const { userId, sessionId, tenantId: from } = loginOf(principal);
  await em.transactional(async (tx) => {
    const tenants = await findTenantsOfUser(tx, userId);
    if (!tenants.some(({ id }) => id === tenantId)) throw notFound('tenant');
    if (tenantId === from) return;
    await tx.nativeUpdate(LoginSession, { id: sessionId }, { tenantId });
    await tx.nativeUpdate(Membership, { userId, tenantId }, { lastActiveAt: new Date() });
    await recordAuditEvent(tx, {
      tenantId,
      type: 'auth.tenant_switched',
      credential: principal.credential,
      ipAddress,
      resource: { type: 'session', id: sessionId },
      metadata: { from },
    });
  });
}
