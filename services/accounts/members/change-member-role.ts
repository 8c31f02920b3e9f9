import type { EntityManager } from '@mikro-orm/postgresql';
import type { AssignableRole } from '../../../domain/accounts/permissions.ts';
import { recordAuditEvent } from '../../audit-log/record-audit-event.ts';
import type { Actor } from '../actor.ts';
import { readMember, type Member } from './find-members.ts';
import { lockOtherMember } from './lock-other-member.ts';

/**
 * Gives a member another role, which their sessions and keys have from their next request on; or whoever is invited, before
 * they accept.
 *
 * @throws AppError NOT_FOUND, MEMBER_PROTECTED
 */
export async function changeMemberRole(
  em: EntityManager,
  actor: Actor,
  userId: string,
  role: AssignableRole,
): Promise<Member> {
  const { tenantId } = actor;
  return em.transactional(async (tx) => {
    const before = await lockOtherMember(tx, actor, userId);
    if (before.role !== role) {
      await tx.execute(`update ${before.table} set role = ? where tenant_id = ? and user_id = ?`, [
        role,
        tenantId,
        before.userId,
      ]);
      await recordAuditEvent(tx, {
        ...actor,
        type: 'member.role_changed',
        resource: { type: 'user', id: before.userId },
        metadata: { from: before.role, to: role },
      });
    }
    return readMember(tx, tenantId, before.userId);
  });
}
