import type { EntityManager } from '@mikro-orm/postgresql';
import { LoginSession } from '../../../db/entities/accounts/login-session.ts';
import { LOGIN_SESSION_IDLE_SECONDS } from '../../../domain/accounts/login.ts';

/** Far more than a person opens in a month. */
const MAX_SESSIONS = 500;

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

/** When a session ends if nothing more is done in it. */
export function endOfSession({ lastActivityAt, expiresAt }: LoginSession): Date {
  return new Date(
    Math.min(expiresAt.getTime(), lastActivityAt.getTime() + LOGIN_SESSION_IDLE_SECONDS * 1000),
  );
}
