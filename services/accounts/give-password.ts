import type { EntityManager } from '@mikro-orm/postgresql';
import { AccountToken } from '../../db/entities/accounts/account-token.ts';
import { LoginSession } from '../../db/entities/accounts/login-session.ts';
import { User } from '../../db/entities/accounts/user.ts';
import { revokeUnverifiedAccess } from './users/verify-email.ts';
import { countApiKeysOfUser } from './api-keys/change-api-key.ts';
import { generatePassword, hashPassword } from './password.ts';
import { recordUserEvent } from './tenants/find-tenants-of-user.ts';

/** To be passed on to the user by the operator. */
export interface GivenPassword {
  password: string;
  /** Live API keys that the user has made, which keep working. */
  liveKeys: number;
}

/**
 * Gives a user a new password, which works at once: their address counts as verified, since the operator vouches for
 * it. All their sessions end, and links of emails that would set another password.
 *
 * @returns undefined if no active user has this address
 */
export async function givePassword(em: EntityManager, email: string): Promise<GivenPassword | undefined> {
  const password = generatePassword();
  const passwordHash = await hashPassword(password);
  return em.transactional(async (tx) => {
    const user = await tx.findOne(User, { email, isActive: true });
    if (!user) return undefined;
    const { id: userId, emailVerifiedAt } = user;
    await revokeUnverifiedAccess(tx, userId);
    await tx.nativeUpdate(
      User,
      { id: userId },
      { passwordHash, emailVerifiedAt: emailVerifiedAt ?? new Date() },
    );
    await tx.nativeDelete(LoginSession, { userId });
    await tx.nativeDelete(AccountToken, { userId, kind: 'reset_password' });
    await recordUserEvent(tx, { type: 'auth.password_reset', userId, metadata: { by: 'operator' } });
    return { password, liveKeys: await countApiKeysOfUser(tx, userId) };
  });
}
