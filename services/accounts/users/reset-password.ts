import type { EntityManager } from '@mikro-orm/postgresql';
import { LoginSession } from '../../../db/entities/accounts/login-session.ts';
import { User } from '../../../db/entities/accounts/user.ts';
import { recordAuditEvent } from '../../audit-log/record-audit-event.ts';
import { countApiKeysOfUser, revokeApiKeysOfUser } from '../api-keys/change-api-key.ts';
import { checkNewPassword, type PasswordHasher } from '../password.ts';
import { recordUserEvent } from '../tenants/find-tenants-of-user.ts';
import { findToken, tokenInvalid, useToken } from '../account-tokens.ts';
import { revokeUnverifiedAccess, markVerified } from './verify-email.ts';
import { randomUUID } from 'node:crypto';

export interface PasswordReset {
  token: string;
  password: string;
  /** Whether the API keys that the user has created are revoked as well. */
  revokeApiKeys: boolean;
  ipAddress: string;
}

/**
 * Sets a password by an emailed token, ends all sessions of the user, and marks their address as verified. A refused
 * password leaves the token usable.
 *
 * @returns how many API keys of the user were revoked, and how many are left
 * @throws AppError TOKEN_INVALID, VALIDATION_FAILED
 */
export async function resetPassword(
  { em, passwords }: { em: EntityManager; passwords: PasswordHasher },
  { token, password, revokeApiKeys, ipAddress }: PasswordReset,
): Promise<{ revokedKeys: number; liveKeys: number }> {
  checkNewPassword(password, (await findToken(em, 'reset_password', token)).email);
  // Hashed before the transaction, so that none is held open meanwhile.
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

/**
 * The user to send an email to. An unknown address gets a random id, whose email is dropped: both take the same steps,
 * so that a response does not reveal whether the user exists.
 */
export async function findMailRecipient(em: EntityManager, email: string): Promise<string> {
  const user = await em.findOne(User, { email, isActive: true }, { fields: ['id'] });
  return user?.id ?? randomUUID();
}

/** Records the request for a password reset; nothing for an unknown user. */
export function recordResetRequest(em: EntityManager, userId: string, ipAddress: string): Promise<void> {
  return recordUserEvent(em, { type: 'auth.password_reset_requested', userId, ipAddress });
}
