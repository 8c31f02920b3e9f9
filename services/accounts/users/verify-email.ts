import type { EntityManager } from '@mikro-orm/postgresql';
import { User } from '../../../db/entities/accounts/user.ts';
import { AppError } from '../../../domain/app-error.ts';
import { checkNewPassword, type PasswordHasher } from '../password.ts';
import { recordUserEvent } from '../tenants/find-tenants-of-user.ts';
import { findToken, tokenInvalid, useToken } from '../account-tokens.ts';

export interface Verification {
  token: string;
  /** The reader of the email may not be the one who registered: they enter the registered password, or set another. */
  password: { registered: string } | { next: string };
  ipAddress: string;
}

/**
 * Verifies the address of a user by the token that was emailed to it. The password that was registered is needed, or
 * replaced: an address that a stranger registered must not be confirmed with their password. A refused password leaves
 * the token usable.
 *
 * @throws AppError TOKEN_INVALID, WRONG_PASSWORD, VALIDATION_FAILED
 */
export async function verifyEmail(
  { em, passwords }: { em: EntityManager; passwords: PasswordHasher },
  { token, password, ipAddress }: Verification,
): Promise<void> {
  const found = await findToken(em, 'verify_email', token);
  const passwordHash = await provenOrNew({ em, passwords }, found, password);
  await em.transactional(async (tx) => {
    const { userId, email } = await useToken(tx, 'verify_email', token);
    if ('next' in password) {
      await revokeUnverifiedAccess(tx, userId);
      const set = await tx.nativeUpdate(User, { id: userId, emailVerifiedAt: null }, { passwordHash });
      // Verified since by another email, with a password that is known.
      if (set === 0) throw tokenInvalid();
    }
    // Another registration may have replaced the password since it was compared.
    if (!(await markVerified(tx, userId, email, passwordHash))) throw tokenInvalid();
    await recordUserEvent(tx, { type: 'auth.email_verified', userId, ipAddress });
  });
}

/** The expected or new hash. */
async function provenOrNew(
  { em, passwords }: { em: EntityManager; passwords: PasswordHasher },
  { userId, email }: { userId: string; email: string },
  password: Verification['password'],
): Promise<string> {
  if ('next' in password) {
    checkNewPassword(password.next, email, '/body/new_password');
    return passwords.hash(password.next);
  }
  const { passwordHash } = await em.findOneOrFail(User, userId, { refresh: true });
  if (passwordHash && (await passwords.verify(password.registered, passwordHash))) return passwordHash;
  throw new AppError(
    'WRONG_PASSWORD',
    'this is not the password that was registered with the address; if you do not know it, send new_password',
  );
}

/**
 * @param passwordHash that the user must have
 * @returns false when the address or password has changed since
 */
export async function markVerified(
  tx: EntityManager,
  userId: string,
  email: string,
  passwordHash?: string,
): Promise<boolean> {
  const verified: unknown[] = await tx.execute(
    `update users set email_verified_at = coalesce(email_verified_at, now())
     where id = ? and email = ? and (?::text is null or password_hash = ?) returning 1`,
    [userId, email, passwordHash ?? null, passwordHash ?? null],
  );
  return verified.length > 0;
}

/**
 * Removes password, identities and sessions of a user with an unverified address, before the address is verified by a
 * token: another person may have registered it in advance.
 */
export async function revokeUnverifiedAccess(tx: EntityManager, userId: string): Promise<void> {
  const unverified: unknown[] = await tx.execute(
    `update users set password_hash = null, pending_email = null
     where id = ? and email_verified_at is null returning 1`,
    [userId],
  );
  if (unverified.length === 0) return;
  await tx.execute('delete from external_identities where user_id = ?', [userId]);
  await tx.execute('delete from login_sessions where user_id = ?', [userId]);
}
