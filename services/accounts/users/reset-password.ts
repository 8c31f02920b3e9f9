import type { EntityManager } from '@mikro-orm/postgresql';
import { LoginSession } from '../../../db/entities/accounts/login-session.ts';
import { User } from '../../../db/entities/accounts/user.ts';
import { recordAuditEvent } from '../../audit-log/record-audit-event.ts';
import { countApiKeysOfUser, revokeApiKeysOfUser } from '../api-keys/api-keys-of-user.ts';
import { checkNewPassword } from '../check-new-password.ts';
import type { PasswordHasher } from '../password-work.ts';
import { recordUserEvent } from '../record-user-event.ts';
import { findToken, tokenInvalid, useToken } from '../tokens/use-token.ts';
import { revokeUnverifiedAccess } from '../end-unproven-access.ts';
import { markVerified } from './verify-email.ts';

export interface PasswordReset {
  token: string;
  password: string;
  /** Whether the API keys that the user has created are revoked as well. */
  revokeApiKeys: boolean;
  ipAddress: string;
}

/**
 * Sets a password by the token that was mailed, ends all sessions of the user, and takes their address as verified. A
 * refused password leaves the token usable.
 *
 * @returns how many API keys of the user were revoked, and how many are left
 * @throws AppError TOKEN_INVALID, VALIDATION_FAILED
 */
export async function resetPassword(
  { em, passwords }: { em: EntityManager; passwords: PasswordHasher },
  { token, password, revokeApiKeys, ipAddress }: PasswordReset,
): Promise<{ revokedKeys: number; liveKeys: number }> {
  checkNewPassword(password, (await findToken(em, 'reset_password', token)).email);
  // Before the token is used, so that no transaction waits for it.
  const passwordHash = await passwords.hash(password);
  return em.transactional(async (tx) => {
    const { userId, email } = await useToken(tx, 'reset_password', token);
    await revokeUnverifiedAccess(tx, userId);
    if (!(await markVerified(tx, userId, email))) throw tokenInvalid();
    await tx.nativeUpdate(User, { id: userId }, { passwordHash });
    await tx.nativeDelete(LoginSession, { userId });
    await recordUserEvent(tx, { type: 'auth.password_reset', userId, ipAddress });
    const revoked = revokeApiKeys ? await revokeApiKeysOfUser(tx, userId) : [];
    for (const { id, tenantId } of revoked) {
      const resource = { type: 'api_key', id };
      await recordAuditEvent(tx, { tenantId, type: 'api_key.revoked', userId, ipAddress, resource });
    }
    return { revokedKeys: revoked.length, liveKeys: await countApiKeysOfUser(tx, userId) };
  });
}
