import type { EntityManager } from '@mikro-orm/postgresql';
import { LoginSession } from '../../../db/entities/accounts/login-session.ts';
import { User } from '../../../db/entities/accounts/user.ts';
import { checkNewPassword } from '../check-new-password.ts';
import type { PasswordWork } from '../password-work.ts';
import { recordUserEvent } from '../record-user-event.ts';
import { tokenInvalid, useToken } from '../tokens/use-token.ts';
import { endUnprovenAccess } from '../end-unproven-access.ts';
import { markVerified } from './verify-email.ts';

/**
 * Sets a password by the token that was mailed, ends all sessions of the user, and takes their address as verified. A
 * refused password leaves the token usable.
 *
 * @returns the user's id
 * @throws AppError TOKEN_INVALID, VALIDATION_FAILED
 */
export async function resetPassword(
  { em, passwords }: { em: EntityManager; passwords: PasswordWork },
  { token, password, ipAddress }: { token: string; password: string; ipAddress: string },
): Promise<string> {
  // Before the token is used, so that no transaction waits for it.
  checkNewPassword(password, '');
  const passwordHash = await passwords.hash(password);
  return em.transactional(async (tx) => {
    const { userId, email } = await useToken(tx, 'reset_password', token);
    checkNewPassword(password, email);
    await endUnprovenAccess(tx, userId);
    if (!(await markVerified(tx, userId, email))) throw tokenInvalid();
    await tx.nativeUpdate(User, { id: userId }, { passwordHash });
    await tx.nativeDelete(LoginSession, { userId });
    await recordUserEvent(tx, { type: 'auth.password_reset', userId, ipAddress });
    return userId;
  });
}
