import type { EntityManager } from '@mikro-orm/postgresql';
import { randomUUID } from 'node:crypto';
import { LoginSession } from '../../../db/entities/accounts/login-session.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import { LOGIN_SESSION_IDLE_SECONDS, MAX_LOGIN_SESSION_HOURS } from '../../../domain/accounts/login.ts';
import { generateToken, hashToken } from '../account-tokens.ts';
import type { Role } from '../../../domain/accounts/permissions.ts';
import { limitsOf } from '../../../domain/accounts/tiers.ts';
import { AppError } from '../../../domain/app-error.ts';
import { tenantDisabled, type Principal, type TenantLimitColumns } from '../principal.ts';

/** Where a request came from, for login sessions and the audit log. */
export interface ClientInfo {
  ipAddress: string;
  userAgent: string;
}

export interface Login extends ClientInfo {
  userId: string;
  /** The tenant to act in. */
  tenantId: string;
  /** The issuer that confirmed the login; null for a password. */
  issuer?: string | null | undefined;
}

/** Logs a user in. The token is for the cookie; it is stored nowhere. */
export async function openLoginSession(
  em: EntityManager,
  { userId, tenantId, issuer = null, userAgent, ipAddress }: Login,
): Promise<{ sessionId: string; token: string }> {
  const sessionId = randomUUID();
  const { token, hash } = generateToken();
  const createdAt = new Date();
  const { sessionHours } = await em.findOneOrFail(Tenant, tenantId, { refresh: true });
  await em.insert(LoginSession, {
    id: sessionId,
    userId,
    tenantId,
    tokenHash: hash,
    userAgent: userAgent.slice(0, 500),
    ipAddress,
    issuer,
    createdAt,
    lastActivityAt: createdAt,
    expiresAt: new Date(createdAt.getTime() + (sessionHours ?? MAX_LOGIN_SESSION_HOURS) * 3_600_000),
  });
  return { sessionId, token };
}

interface SessionRow extends TenantLimitColumns {
  id: string;
  user_id: string;
  tenant_id: string;
  role: Role;
  is_active: boolean;
}

/**
 * The principal of a session cookie. Read from the database every time, so that a revocation and a change of role take
 * effect at once on every replica.
 *
 * @throws AppError UNAUTHENTICATED, with one message for every cause; TENANT_DISABLED
 */
export async function resolveLoginSession(em: EntityManager, token: string): Promise<Principal> {
  const session = await findSession(em, token);
  if (!session) throw sessionEnded();
  if (!session.is_active) throw tenantDisabled();
  return {
    tenantId: session.tenant_id,
    tier: session.tier,
    role: session.role,
    ...limitsOf(session.tier, {
      requestsPerMinute: session.max_requests_per_minute,
      creditsPerMonth: session.max_monthly_credits,
    }),
    credential: {
      kind: 'session',
      sessionId: session.id,
      userId: session.user_id,
    },
  };
}

/** One statement without entities. The times of the last activity are written once a minute at most. */
async function findSession(em: EntityManager, token: string): Promise<SessionRow | undefined> {
  const [session] = await em.execute<SessionRow[]>(
    `with open as (
       select id, user_id, tenant_id, issuer, last_activity_at from login_sessions
       where token_hash = ? and expires_at > now() and last_activity_at > now() - ? * interval '1 second'),
     active as (
       update login_sessions set last_activity_at = now() from open where login_sessions.id = open.id
         and open.last_activity_at < now() - interval '1 minute'),
     present as (
       update memberships m set last_active_at = now() from (
         select m.tenant_id, m.user_id from memberships m join open on m.tenant_id = open.tenant_id and m.user_id = open.user_id
         where m.last_active_at is null or m.last_active_at < now() - interval '1 minute'
         -- A member who is being removed is locked first and their sessions then: waiting here would be a deadlock.
         for no key update of m skip locked) as quiet
       where m.tenant_id = quiet.tenant_id and m.user_id = quiet.user_id)
     select open.id, open.user_id, open.tenant_id, m.role,
       t.is_active, t.tier, t.max_requests_per_minute, t.max_monthly_credits
     from open
       join users u on u.id = open.user_id and u.is_active
       join tenants t on t.id = open.tenant_id and t.deleted_at is null
       join memberships m on m.tenant_id = t.id and m.user_id = u.id
         and (m.granted_by is null or m.granted_by = open.issuer)
         and u.email_verified_at is not null`,
    [hashToken(token), LOGIN_SESSION_IDLE_SECONDS],
  );
  return session;
}

export function sessionEnded(): AppError {
  return new AppError('UNAUTHENTICATED', 'the session has ended; log in again');
}
