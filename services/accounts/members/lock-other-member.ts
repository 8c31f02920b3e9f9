import type { EntityManager } from '@mikro-orm/postgresql';
import type { Role } from '../../../domain/accounts/permissions.ts';
import { AppError, notFound } from '../../../domain/app-error.ts';
import { isUuid } from '../../shared/ids.ts';
import type { Actor } from '../actor.ts';
import { lockTenant } from '../tenants/lock-tenant.ts';

/**
 * The member that somebody wants to change or remove. No other change of members happens until the transaction ends.
 *
 * @throws AppError NOT_FOUND; MEMBER_PROTECTED for the owner and oneself
 */
export async function lockOtherMember(
  tx: EntityManager,
  actor: Actor,
  id: string,
): Promise<{ userId: string; role: Role }> {
  const userId = id.toLowerCase();
  if (!isUuid(userId)) throw notFound('member');
  await lockTenant(tx, actor.tenantId);
  const [member] = await tx.execute<{ role: Role }[]>(
    'select role from memberships where tenant_id = ? and user_id = ? for update',
    [actor.tenantId, userId],
  );
  if (!member) throw notFound('member');
  if (member.role === 'owner') {
    throw new AppError('MEMBER_PROTECTED', 'the owner of the account cannot be removed or get another role');
  }
  if (userId === actor.userId) {
    throw new AppError('MEMBER_PROTECTED', 'another admin or the owner has to change or remove you');
  }
  return { userId, role: member.role };
}
