import type { EntityManager } from '@mikro-orm/postgresql';
import { LoginSession } from '../../../db/entities/accounts/login-session.ts';
import { User } from '../../../db/entities/accounts/user.ts';
import {
  authProvider,
  LOGIN_SESSION_IDLE_SECONDS,
  type AuthProvider,
} from '../../../domain/accounts/login.ts';
import { findTenantsOfUser, mayAct, type TenantOfUser } from '../tenants/find-tenants-of-user.ts';
import { sessionEnded } from './open-login-session.ts';
import type { CurrentLogin } from '../principal.ts';
import { ExternalIdentity } from '../../../db/entities/accounts/external-identity.ts';

/** Far above the sessions of one person in a month. */
const MAX_SESSIONS = 500;

/** The logged-in user and their tenants. */
export interface LoginRecord {
  session: LoginSession;
  user: User;
  authProvider: AuthProvider;
  /** The current tenant of the session. */
  tenant: TenantOfUser;
  /** Those of the user's that this login may act in. */
  tenants: TenantOfUser[];
}

/** @throws AppError UNAUTHENTICATED when it was revoked meanwhile */
export async function readLogin(
  em: EntityManager,
  { userId, sessionId }: Pick<CurrentLogin, 'userId' | 'sessionId'>,
): Promise<LoginRecord> {
  const session = await em.findOne(LoginSession, sessionId, { refresh: true });
  const user = await em.findOneOrFail(User, userId, { refresh: true });
  if (!session) throw sessionEnded();
  const tenants = (await findTenantsOfUser(em, userId)).filter((each) =>
    mayAct(each, session.issuer ?? null),
  );
  const tenant = tenants.find(({ id }) => id === session.tenantId);
  if (!tenant) throw sessionEnded();
  return { session, user, authProvider: await readAuthProvider(em, user), tenant, tenants };
}

/** The sessions in which a user is logged in, in any tenant, the one used last first. */
export async function listLoginSessions(
  em: EntityManager,
  userId: string,
  now = new Date(),
): Promise<LoginSession[]> {
  return em.find(
    LoginSession,
    { userId, expiresAt: { $gt: now }, lastActivityAt: { $gt: idleSince(now) } },
    { orderBy: { lastActivityAt: 'desc', id: 'asc' }, limit: MAX_SESSIONS },
  );
}

/** Sessions without a request since then have ended. */
function idleSince(now: Date): Date {
  return new Date(now.getTime() - LOGIN_SESSION_IDLE_SECONDS * 1000);
}

/** The time at which an idle session ends. */
export function endOfSession({ lastActivityAt, expiresAt }: LoginSession): Date {
  return new Date(
    Math.min(expiresAt.getTime(), lastActivityAt.getTime() + LOGIN_SESSION_IDLE_SECONDS * 1000),
  );
}

/** The login methods of the user. */
export async function readAuthProvider(em: EntityManager, user: User): Promise<AuthProvider> {
  const identities = await em.count(ExternalIdentity, { userId: user.id });
  return authProvider({ password: Boolean(user.passwordHash), identity: identities > 0 });
}
