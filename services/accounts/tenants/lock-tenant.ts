import type { EntityManager } from '@mikro-orm/postgresql';

/**
 * Makes changes of a tenant's keys, members and settings wait for each other until the transaction ends, so that what it
 * counts and checks stays true. Uploads do not wait.
 */
export async function lockTenant(tx: EntityManager, tenantId: string): Promise<void> {
  await tx.execute('select from tenants where id = ? for no key update', [tenantId]);
}
