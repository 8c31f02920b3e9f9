import type { EntityManager } from '@mikro-orm/postgresql';
import { User } from '../../../db/entities/accounts/user.ts';
import { AppError } from '../../../domain/app-error.ts';
import type { PasswordHasher } from '../password-work.ts';
import { recordUserEvent } from '../record-user-event.ts';
import type { Visit } from '../visit.ts';
import { enterTenant, type Entered } from './enter-tenant.ts';

export interface PasswordLogin {
  email: string;
  password: string;
  tenantId?: string | undefined;
  visit: Visit;
  previousToken?: string | undefined;
}

interface LoginDeps {
  em: EntityManager;
  passwords: PasswordHasher;
  /** Receives the error when a failed login could not be recorded. */
  onUnrecorded: (error: unknown) => void;
}

/**
 * Logs in with a password. An unknown user, one without a password or without a verified address, and a wrong password are
 * refused with the same words after the same work.
 *
 * @throws AppError UNAUTHENTICATED; and as `enterTenant`
 */
export async function logIn(
  { em, passwords, onUnrecorded }: LoginDeps,
  { email, password, ...entry }: PasswordLogin,
): Promise<Entered> {
  const user = await em.findOne(User, { email, isActive: true });
  if (!(await passwords.verify(password, user?.passwordHash)) || !user?.emailVerifiedAt) {
    // Not awaited: the time to write it would tell that the user exists.
    if (user) void recordFailure(em.fork(), user.id, entry.visit).catch(onUnrecorded);
    throw new AppError(
      'UNAUTHENTICATED',
      'the email address or the password is wrong, or the address is not verified yet: see your email',
    );
  }
  return enterTenant(em, { userId: user.id, method: 'password', ...entry });
}

async function recordFailure(em: EntityManager, userId: string, { ipAddress }: Visit): Promise<void> {
  await recordUserEvent(em, {
    type: 'auth.login',
    result: 'failure',
    userId,
    ipAddress,
    errorMessage: 'wrong password',
  });
}
