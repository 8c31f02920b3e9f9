import type { EntityManager } from '@mikro-orm/postgresql';
import { LoginSession } from '../../../db/entities/accounts/login-session.ts';
import { AppError, notFound } from '../../../domain/app-error.ts';
import { recordAuditEvent } from '../../audit-log/record-audit-event.ts';
import { isUuid } from '../../shared/sql.ts';
import { loginOf, type Principal } from '../principal.ts';
import { Membership } from '../../../db/entities/accounts/membership.ts';
import { findTenantsOfUser, identityProviderRequired, mayAct } from '../tenants/find-tenants-of-user.ts';

/**
 * Ends one session of the caller.
 *
 * @returns whether it was the one of this request
 * @throws AppError NOT_FOUND, also for a session of another user
 */
export async function revokeLoginSession(
  em: EntityManager,
  principal: Principal,
  sessionId: string,
  ipAddress: string,
): Promise<boolean> {
  const { userId, sessionId: current, tenantId } = loginOf(principal);
  if (!isUuid(sessionId)) throw notFound('session');
  const id = sessionId.toLowerCase();
  await em.transactional(async (tx) => {
    if ((await tx.nativeDelete(LoginSession, { id, userId })) === 0) throw notFound('session');
    await recordAuditEvent(tx, {
      tenantId,
      type: 'user.session_revoked',
      credential: principal.credential,
      ipAddress,
      resource: { type: 'session', id },
    });
  });
  return id === current;
}

/** Ends all sessions of the caller except the one of this request. */
export async function revokeOtherSessions(
  em: EntityManager,
  principal: Principal,
  ipAddress: string,
): Promise<void> {
  const { userId, sessionId, tenantId } = loginOf(principal);
  await em.transactional(async (tx) => {
    const revoked = await tx.nativeDelete(LoginSession, { userId, id: { $ne: sessionId } });
    await recordAuditEvent(tx, {
      tenantId,
      type: 'user.sessions_revoked',
      credential: principal.credential,
      ipAddress,
      metadata: { revoked },
    });
  });
}

/**
 * Lets the session act in another tenant of its user, from the next request on, and no longer than sessions may there.
 *
 * @throws AppError NOT_FOUND, also for a tenant that the user is no member of; LOGIN_TOO_OLD if it would have ended there;
 *   IDENTITY_PROVIDER_REQUIRED
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
    const tenant = tenants.find(({ id }) => id === tenantId);
    if (!tenant) throw notFound('tenant');
    if (tenantId === from) return;
    const [session] = await tx.execute<{ ended: boolean; issuer: string | null }[]>(
      `update login_sessions set tenant_id = ?, expires_at = least(expires_at,
         created_at + (select session_hours from tenants where id = ?) * interval '1 hour')
       where id = ? returning expires_at <= now() as ended, issuer`,
      [tenantId, tenantId, sessionId],
    );
    if (session?.ended) {
      throw new AppError('LOGIN_TOO_OLD', 'login sessions of that account are shorter; log in again');
    }
    if (session && !mayAct(tenant, session.issuer)) throw identityProviderRequired();
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
