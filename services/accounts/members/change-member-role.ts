import type { EntityManager } from '@mikro-orm/postgresql';
import { isConfigured, type OidcProvider } from '../../../adapters/oidc/oidc-provider.ts';
import type { AssignableRole, Role } from '../../../domain/accounts/permissions.ts';
import { recordAuditEvent } from '../../audit-log/record-audit-event.ts';
import type { Actor } from '../principal.ts';
import { readMember, type Member } from './find-members.ts';
import { AppError, notFound } from '../../../domain/app-error.ts';
import { isUuid } from '../../shared/sql.ts';
import { lockTenantAsAdmin } from '../tenants/lock-tenant.ts';
import { AccountToken } from '../../../db/entities/accounts/account-token.ts';
import { Invitation } from '../../../db/entities/accounts/invitation.ts';
import { LoginSession } from '../../../db/entities/accounts/login-session.ts';
import { Membership } from '../../../db/entities/accounts/membership.ts';
import { ApiKey } from '../../../db/entities/accounts/api-key.ts';

/**
 * Changes the role of a member or of an invited user. Sessions and keys have the new role from their next request on.
 *
 * @throws AppError NOT_FOUND; MEMBER_PROTECTED, also if the role comes from groups: the next login would restore it. Once
 *   their provider is no longer configured, the member becomes one by invitation
 */
export async function changeMemberRole(
  { em, oidc }: { em: EntityManager; oidc: ReadonlyMap<string, OidcProvider> },
  actor: Actor,
  userId: string,
  role: AssignableRole,
): Promise<Member> {
  const { tenantId } = actor;
  return em.transactional(async (tx) => {
    const before = await lockOtherMember(tx, actor, userId);
    const { grantedBy } = before;
    const isProvided = grantedBy !== null && isConfigured(oidc, grantedBy);
    if (before.role !== role || (grantedBy !== null && !isProvided)) {
      if (isProvided) {
        throw new AppError(
          'MEMBER_PROTECTED',
          'groups at the identity provider give this member the role; change it there',
        );
      }
      const which = { tenantId, userId: before.userId };
      if (before.isInvited) await tx.nativeUpdate(Invitation, which, { role });
      else await tx.nativeUpdate(Membership, which, { role, grantedBy: null });
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

/**
 * The member or invited user to change or remove. Other changes of members wait until the transaction ends.
 *
 * @throws AppError NOT_FOUND; MEMBER_PROTECTED for the owner and oneself; FORBIDDEN
 */
async function lockOtherMember(
  tx: EntityManager,
  actor: Actor,
  id: string,
): Promise<{ userId: string; role: Role; grantedBy: string | null; isInvited: boolean }> {
  const userId = id.toLowerCase();
  if (!isUuid(userId)) throw notFound('member');
  await lockTenantAsAdmin(tx, actor);
  // Invitations first: one accepted in between is then found as a membership.
  const [invited] = await tx.execute<{ role: Role }[]>(
    'select role from invitations where tenant_id = ? and user_id = ? for update',
    [actor.tenantId, userId],
  );
  if (invited) return { userId, role: invited.role, grantedBy: null, isInvited: true };
  const [member] = await tx.execute<{ role: Role; granted_by: string | null }[]>(
    'select role, granted_by from memberships where tenant_id = ? and user_id = ? for update',
    [actor.tenantId, userId],
  );
  if (!member) throw notFound('member');
  const { role, granted_by: grantedBy } = member;
  if (role === 'owner') {
    throw new AppError('MEMBER_PROTECTED', 'the owner of the account cannot be removed or get another role');
  }
  if (userId === actor.userId) {
    throw new AppError('MEMBER_PROTECTED', 'another admin or the owner has to change or remove you');
  }
  return { userId, role, grantedBy, isInvited: false };
}

/** Access revoked with a membership. */
export interface EndedAccess {
  sessions: number;
  apiKeys: number;
}

/**
 * Removes a user from a tenant, or withdraws the invitation: their sessions there end and their keys are revoked. A
 * later invitation does not restore them.
 */
export async function endMembership(
  tx: EntityManager,
  tenantId: string,
  userId: string,
): Promise<EndedAccess> {
  await tx.nativeDelete(Membership, { tenantId, userId });
  await tx.nativeDelete(Invitation, { tenantId, userId });
  await tx.nativeDelete(AccountToken, { tenantId, userId });
  const sessions = await tx.nativeDelete(LoginSession, { tenantId, userId });
  const apiKeys = await tx.nativeUpdate(
    ApiKey,
    { tenantId, createdBy: userId, revokedAt: null },
    { revokedAt: new Date() },
  );
  return { sessions, apiKeys };
}
