import type { EntityManager } from '@mikro-orm/postgresql';
import { roleAllows, type Role } from '../../../domain/accounts/permissions.ts';
import { AppError } from '../../../domain/app-error.ts';
import type { Actor } from '../actor.ts';

/**
 * Reads the role of the caller again, under the lock of the tenant and one of their membership: an admin who has been
 * removed meanwhile must not remove others, nor invite somebody in their place, nor change a
 * setting, nor leave a key behind. Returns that role.
 *
 * @throws AppError FORBIDDEN
 */
export async function recheckAdmin(tx: EntityManager, { tenantId, userId }: Actor): Promise<Role> {
  const [caller] = await tx.execute<{ role: Role }[]>(
    'select role from memberships where tenant_id = ? and user_id = ? for share',
    [tenantId, userId],
  );
  if (!caller || !roleAllows(caller.role, 'ADMIN'))
    throw new AppError('FORBIDDEN', 'this needs ADMIN permission');
  return caller.role;
}
