import type { EntityManager } from '@mikro-orm/postgresql';
import type { Role } from '../../../domain/accounts/permissions.ts';
import { AppError, notFound } from '../../../domain/app-error.ts';
import { isUuid } from '../../shared/ids.ts';
import type { Actor } from '../actor.ts';
import { lockTenant } from '../tenants/lock-tenant.ts';
import { recheckAdmin } from '../tenants/recheck-admin.ts';

/**
 * The member, or whoever is invited, that somebody wants to change or remove. No other change of members happens until the transaction ends.
 *
 * @throws AppError NOT_FOUND; MEMBER_PROTECTED for the owner and oneself; FORBIDDEN
 */
export async function lockOtherMember(
  tx: EntityManager,
  actor: Actor,
  id: string,
): Promise<{ userId: string; role: Role; table: 'memberships' | 'invitations' }> {
  const userId = id.toLowerCase();
  if (!isUuid(userId)) throw notFound('member');
  await lockTenant(tx, actor.tenantId);
  await recheckAdmin(tx, actor);
  // Invitations first: one that is accepted meanwhile is a membership then.
  const invited = await lockIn(tx, 'invitations', actor.tenantId, userId);
  if (invited) return { userId, role: invited, table: 'invitations' };
  const role = await lockIn(tx, 'memberships', actor.tenantId, userId);
  if (!role) throw notFound('member');
  if (role === 'owner') {
    throw new AppError('MEMBER_PROTECTED', 'the owner of the account cannot be removed or get another role');
  }
  if (userId === actor.userId) {
    throw new AppError('MEMBER_PROTECTED', 'another admin or the owner has to change or remove you');
  }
  return { userId, role, table: 'memberships' };
}

async function lockIn(
  tx: EntityManager,
  table: 'memberships' | 'invitations',
  tenantId: string,
  userId: string,
): Promise<Role | undefined> {
  const [row] = await tx.execute<{ role: Role }[]>(
    `select role from ${table} where tenant_id = ? and user_id = ? for update`,
    [tenantId, userId],
  );
  return row?.role;
}
