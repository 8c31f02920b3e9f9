import type { EntityManager } from '@mikro-orm/postgresql';
import { User } from '../../../db/entities/accounts/user.ts';
import { AppError } from '../../../domain/app-error.ts';
import type { PasswordHasher } from '../password.ts';
import { recordUserEvent } from '../tenants/find-tenants-of-user.ts';
import type { ClientInfo } from './open-login-session.ts';
import { enterTenant, type Entered } from './enter-tenant.ts';
import { recordAuditEvent } from '../../audit-log/record-audit-event.ts';
import { hashToken } from '../account-tokens.ts';

export interface PasswordLogin {
  email: string;
  password: string;
  tenantId?: string | undefined;
  client: ClientInfo;
  previousToken?: string | undefined;
}

interface LoginDeps {
  em: EntityManager;
  passwords: PasswordHasher;
  /** Receives the error when a failed login could not be recorded. */
  onUnrecorded: (error: unknown) => void;
}

/**
 * Logs in with a password. An unknown user, one without a password or without a verified address, and a wrong password
 * are rejected with the same message after the same work.
 *
 * @throws AppError UNAUTHENTICATED; and as `enterTenant`
 */
export async function logIn(
  { em, passwords, onUnrecorded }: LoginDeps,
  { email, password, ...entry }: PasswordLogin,
): Promise<Entered> {
  const user = await em.findOne(User, { email, isActive: true });
  if (!(await passwords.verify(password, user?.passwordHash)) || !user?.emailVerifiedAt) {
    // Not awaited: the time to write it would reveal that the user exists.
    if (user) void recordFailure(em.fork(), user.id, entry.client).catch(onUnrecorded);
    throw new AppError(
      'UNAUTHENTICATED',
      'the email address or the password is wrong, or the address is not verified yet: see your email',
    );
  }
  return enterTenant(em, { userId: user.id, method: 'password', issuer: null, ...entry });
}

async function recordFailure(em: EntityManager, userId: string, { ipAddress }: ClientInfo): Promise<void> {
  await recordUserEvent(em, {
    type: 'auth.login',
    result: 'failure',
    userId,
    ipAddress,
    errorMessage: 'wrong password',
  });
}

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
