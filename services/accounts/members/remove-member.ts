import type { EntityManager } from '@mikro-orm/postgresql';
import { recordAuditEvent } from '../../audit-log/record-audit-event.ts';
import type { Actor } from '../actor.ts';
import { endMembership, type EndedAccess } from './end-membership.ts';
import { lockOtherMember } from './lock-other-member.ts';

/**
 * Removes a member, or withdraws an invitation.
 *
 * @throws AppError NOT_FOUND, MEMBER_PROTECTED
 */
export async function removeMember(em: EntityManager, actor: Actor, id: string): Promise<EndedAccess> {
  return em.transactional(async (tx) => {
    const { userId, role } = await lockOtherMember(tx, actor, id);
    const ended = await endMembership(tx, actor.tenantId, userId);
    await recordAuditEvent(tx, {
      ...actor,
      type: 'member.removed',
      resource: { type: 'user', id: userId },
      metadata: { role, sessions_ended: ended.sessions, api_keys_revoked: ended.apiKeys },
    });
    return ended;
  });
}
