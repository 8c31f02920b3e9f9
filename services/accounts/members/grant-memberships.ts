import type { EntityManager } from '@mikro-orm/postgresql';
import { Invitation } from '../../../db/entities/accounts/invitation.ts';
import { Membership } from '../../../db/entities/accounts/membership.ts';
import { type AssignableRole, lowerRole, type Role } from '../../../domain/accounts/permissions.ts';
import { recordAuditEvent } from '../../audit-log/record-audit-event.ts';
import { lockTenant } from '../tenants/lock-tenant.ts';
import { endMembership } from './change-member-role.ts';
import { refuseTooManyMembers } from './invite-member.ts';

/** What a provider of logins gives to the members of one of its groups, or to everybody without a group. */
export interface Grant {
  tenantId: string;
  role: AssignableRole;
  group: string | undefined;
}

/** A user who has logged in at a provider just now. */
export interface GrantedUser {
  userId: string;
  issuer: string;
  ipAddress: string;
  groups: ReadonlySet<string>;
}

/** The highest role for these groups in each tenant of the grants; null where they give none. */
export function grantedRoles(
  grants: readonly Grant[],
  groups: ReadonlySet<string>,
): Map<string, AssignableRole | null> {
  const roles = new Map<string, AssignableRole | null>();
  for (const { tenantId, role, group } of grants) {
    const other = roles.get(tenantId) ?? null;
    const matches = group === undefined || groups.has(group);
    if (!matches) roles.set(tenantId, other);
    else if (other === null || lowerRole(other, role) === other) roles.set(tenantId, role);
  }
  return roles;
}

/**
 * Gives a user the memberships of their groups, and takes away those that this issuer gave and their groups no longer
 * do, with their sessions and keys. Owners stay, as do members by invitation whom no group names.
 *
 * @throws AppError MEMBER_LIMIT, when all else is done
 */
export async function grantMemberships(
  em: EntityManager,
  grants: readonly Grant[],
  user: GrantedUser,
): Promise<void> {
  const roles = [...grantedRoles(grants, user.groups)];
  // Ends first: a full account must not keep them from happening.
  for (const [tenantId] of roles.filter(([, role]) => role === null)) {
    await em.transactional((tx) => endGranted(tx, tenantId, user));
  }
  for (const [tenantId, role] of roles) {
    if (role !== null) await em.transactional((tx) => giveRole(tx, tenantId, role, user));
  }
}

async function endGranted(tx: EntityManager, tenantId: string, user: GrantedUser): Promise<void> {
  const before = await lockMembership(tx, tenantId, user.userId);
  if (before?.grantedBy !== user.issuer || before.role === 'owner') return;
  const ended = await endMembership(tx, tenantId, user.userId);
  await record(tx, tenantId, user, 'member.removed', {
    role: before.role,
    sessions_ended: ended.sessions,
    api_keys_revoked: ended.apiKeys,
  });
}

async function giveRole(
  tx: EntityManager,
  tenantId: string,
  role: AssignableRole,
  user: GrantedUser,
): Promise<void> {
  const { userId, issuer } = user;
  const before = await lockMembership(tx, tenantId, userId);
  if (before?.role === 'owner') return;
  if (before) {
    await tx.nativeUpdate(Membership, { tenantId, userId }, { role, grantedBy: issuer });
    if (before.role === role) return;
    await record(tx, tenantId, user, 'member.role_changed', { from: before.role, to: role });
    return;
  }
  const [open] = await tx.execute('select from tenants where id = ? and deleted_at is null', [tenantId]);
  if (!open) return;
  await tx.nativeDelete(Invitation, { tenantId, userId });
  await refuseTooManyMembers(tx, tenantId);
  await tx.insert(Membership, { tenantId, userId, role, grantedBy: issuer, joinedAt: new Date() });
  await record(tx, tenantId, user, 'member.joined', { role });
}

/** Under the lock of all changes of members. */
async function lockMembership(
  tx: EntityManager,
  tenantId: string,
  userId: string,
): Promise<{ role: Role; grantedBy: string | null } | undefined> {
  await lockTenant(tx, tenantId);
  const [membership] = await tx.execute<{ role: Role; granted_by: string | null }[]>(
    'select role, granted_by from memberships where tenant_id = ? and user_id = ? for update',
    [tenantId, userId],
  );
  return membership && { role: membership.role, grantedBy: membership.granted_by };
}

function record(
  tx: EntityManager,
  tenantId: string,
  { userId, issuer, ipAddress }: GrantedUser,
  type: 'member.joined' | 'member.role_changed' | 'member.removed',
  metadata: Record<string, unknown>,
): Promise<void> {
  const resource = { type: 'user', id: userId };
  return recordAuditEvent(tx, {
    tenantId,
    type,
    userId,
    ipAddress,
    resource,
    metadata: { ...metadata, issuer },
  });
}
