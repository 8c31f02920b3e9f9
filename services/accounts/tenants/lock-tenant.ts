import type { EntityManager } from '@mikro-orm/postgresql';
import { roleAllows, type Role } from '../../../domain/accounts/permissions.ts';
import { AppError } from '../../../domain/app-error.ts';
import type { Actor } from '../principal.ts';

/**
 * Makes changes of a tenant's keys, members and settings wait for each other until the transaction ends, so that what it
 * counts and checks stays true. Uploads do not wait.
 */
export async function lockTenant(tx: EntityManager, tenantId: string): Promise<void> {
  await tx.execute('select from tenants where id = ? for no key update', [tenantId]);
}

/**
 * The same for an admin, whose role is read again under this lock and one of their membership: an admin who has been
 * removed meanwhile must not remove others, invite a replacement, change a setting or leave a key behind.
 *
 * @returns the role of the caller
 * @throws AppError FORBIDDEN
 */
export async function lockTenantAsAdmin(tx: EntityManager, { tenantId, userId }: Actor): Promise<Role> {
  await lockTenant(tx, tenantId);
  const [caller] = await tx.execute<{ role: Role }[]>(
    'select role from memberships where tenant_id = ? and user_id = ? for share',
    [tenantId, userId],
  );
  if (!caller || !roleAllows(caller.role, 'ADMIN'))
    throw new AppError('FORBIDDEN', 'this needs ADMIN permission');
  return caller.role;
}
