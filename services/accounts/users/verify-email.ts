import type { EntityManager } from '@mikro-orm/postgresql';
import { recordUserEvent } from '../record-user-event.ts';
import { tokenInvalid, useToken } from '../tokens/use-token.ts';

/**
 * Verifies the address of a user by the token that was mailed to it.
 *
 * @throws AppError TOKEN_INVALID
 */
export async function verifyEmail(em: EntityManager, token: string, ipAddress: string): Promise<void> {
  await em.transactional(async (tx) => {
    const { userId, email } = await useToken(tx, 'verify_email', token);
    if (!(await markVerified(tx, userId, email))) throw tokenInvalid();
    await recordUserEvent(tx, { type: 'auth.email_verified', userId, ipAddress });
  });
}

/**
 * Takes away what gave access to a user whose address nobody has proved, before somebody proves it by a token: it may be
 * that of another person, who registered the address in advance.
 */
export async function endUnprovenAccess(tx: EntityManager, userId: string): Promise<void> {
  const unproven: unknown[] = await tx.execute(
    `update users set password_hash = null, pending_email = null
     where id = ? and email_verified_at is null returning 1`,
    [userId],
  );
  if (unproven.length === 0) return;
  await tx.execute('delete from external_identities where user_id = ?', [userId]);
  await tx.execute('delete from login_sessions where user_id = ?', [userId]);
}

/** @returns false when the user has another address by now, of which nothing is proved */
export async function markVerified(tx: EntityManager, userId: string, email: string): Promise<boolean> {
  const verified: unknown[] = await tx.execute(
    `update users set email_verified_at = coalesce(email_verified_at, now()) where id = ? and email = ? returning 1`,
    [userId, email],
  );
  return verified.length > 0;
}
