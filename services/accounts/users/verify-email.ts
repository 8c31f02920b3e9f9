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

/** @returns false when the user has another address by now, of which nothing is proved */
export async function markVerified(tx: EntityManager, userId: string, email: string): Promise<boolean> {
  const verified: unknown[] = await tx.execute(
    `update users set email_verified_at = coalesce(email_verified_at, now()) where id = ? and email = ? returning 1`,
    [userId, email],
  );
  return verified.length > 0;
}
