import type { EntityManager } from '@mikro-orm/postgresql';
import { LoginSession } from '../../../db/entities/accounts/login-session.ts';
import { Membership } from '../../../db/entities/accounts/membership.ts';
import { User } from '../../../db/entities/accounts/user.ts';
import { notFound } from '../../../domain/app-error.ts';
import { recordAuditEvent } from '../../audit-log/record-audit-event.ts';
import {
  createOwnTenant,
  findTenantsOfUser,
  identityProviderRequired,
  mayAct,
} from '../tenants/find-tenants-of-user.ts';
import { hashToken } from '../account-tokens.ts';
import { openLoginSession, type ClientInfo } from './open-login-session.ts';
import { tenantDisabled } from '../principal.ts';

export interface Entry {
  userId: string;
  /** Default: the tenant used last, otherwise one owned by the user. */
  tenantId?: string | undefined;
  method: 'password' | 'oidc';
  /** The issuer that confirmed the login; null for a password. */
  issuer: string | null;
  client: ClientInfo;
  /** The previous session cookie of the browser: its session ends, which prevents session fixation. */
  previousToken?: string | undefined;
}

export interface Entered {
  /** For the cookie. */
  token: string;
  sessionId: string;
  userId: string;
  tenantId: string;
}

/**
 * Logs in a user whose identity is proved, in a session with a new token.
 *
 * @throws AppError NOT_FOUND for a tenant that they are no member of, TENANT_DISABLED when all of theirs are,
 *   IDENTITY_PROVIDER_REQUIRED
 */
export async function enterTenant(em: EntityManager, entry: Entry): Promise<Entered> {
  const { userId, method, issuer, client, previousToken } = entry;
  return em.transactional(async (tx) => {
    await ensureTenant(tx, userId, client.ipAddress);
    const tenants = await findTenantsOfUser(tx, userId);
    if (tenants.length === 0) throw tenantDisabled();
    const wanted = entry.tenantId === undefined ? tenants : tenants.filter(({ id }) => id === entry.tenantId);
    if (wanted.length === 0) throw notFound('tenant');
    const tenant = wanted.find((each) => mayAct(each, issuer));
    if (!tenant) throw identityProviderRequired();
    const tenantId = tenant.id;
    if (previousToken) await tx.nativeDelete(LoginSession, { tokenHash: hashToken(previousToken) });
    const { sessionId, token } = await openLoginSession(tx, { userId, tenantId, issuer, ...client });
    const now = new Date();
    await tx.nativeUpdate(User, { id: userId }, { lastLoginAt: now });
    await tx.nativeUpdate(Membership, { userId, tenantId }, { lastActiveAt: now });
    await recordAuditEvent(tx, {
      tenantId,
      type: 'auth.login',
      userId,
      ipAddress: client.ipAddress,
      resource: { type: 'session', id: sessionId },
      metadata: { method },
    });
    return { token, sessionId, userId, tenantId };
  });
}

/** A user removed from their only tenant gets one of their own, because they cannot register again. */
async function ensureTenant(tx: EntityManager, userId: string, ipAddress: string): Promise<void> {
  const [user] = await tx.execute<{ name: string; has_none: boolean }[]>(
    `select name, not exists (select from memberships m where m.user_id = users.id) as has_none
     from users where id = ?`,
    [userId],
  );
  if (!user?.has_none) return;
  // Of two concurrent logins, the second waits and checks again.
  await tx.execute('select from users where id = ? for update', [userId]);
  if ((await tx.count(Membership, { userId })) > 0) return;
  await createOwnTenant(tx, { userId, name: user.name, ipAddress });
}
