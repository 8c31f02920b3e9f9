import type { EntityManager } from '@mikro-orm/postgresql';

const LIVE = 'created_by = ? and revoked_at is null and (expires_at is null or expires_at > now())';

/** The keys that a user has created and that still work, in all tenants. */
export async function countApiKeysOfUser(em: EntityManager, userId: string): Promise<number> {
  const [counted] = await em.execute<{ live: number }[]>(
    `select count(*)::int as live from api_keys where ${LIVE}`,
    [userId],
  );
  return counted?.live ?? 0;
}

/**
 * Revokes the keys that a user has created, in all tenants.
 *
 * @returns those that worked until now
 */
export async function revokeApiKeysOfUser(
  tx: EntityManager,
  userId: string,
): Promise<{ id: string; tenantId: string }[]> {
  return tx.execute(
    `update api_keys set revoked_at = now() where ${LIVE} returning id, tenant_id as "tenantId"`,
    [userId],
  );
}
