import type { EntityManager } from '@mikro-orm/postgresql';

/** The counter of all requests of a tenant. */
export function tenantCounterKey(tenantId: string): string {
  return `tenant/${tenantId}`;
}

/** Requests of a tenant in its present window, refused ones included. Counts nothing. */
export async function readTenantRequests(em: EntityManager, tenantId: string): Promise<number> {
  const [counter] = await em.execute<{ used: number }[]>(
    'select used from rate_limits where key = ? and resets_at > now()',
    [tenantCounterKey(tenantId)],
  );
  return counter?.used ?? 0;
}
