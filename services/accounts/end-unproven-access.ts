import type { EntityManager } from '@mikro-orm/postgresql';

/**
 * Takes away what gave access to a user whose address nobody has proved, before somebody proves it by a token: it may be
 * that of another person, who registered the address in advance.
 */
export async function revokeUnverifiedAccess(tx: EntityManager, userId: string): Promise<void> {
  const unproven: unknown[] = await tx.execute(
    `update users set password_hash = null, pending_email = null
     where id = ? and email_verified_at is null returning 1`,
    [userId],
  );
  if (unproven.length === 0) return;
  await tx.execute('delete from external_identities where user_id = ?', [userId]);
  await tx.execute('delete from login_sessions where user_id = ?', [userId]);
}
