import type { EntityManager } from '@mikro-orm/postgresql';
import { isConfigured, type OidcProvider } from '../../../adapters/oidc/oidc-provider.ts';
import { Invitation } from '../../../db/entities/accounts/invitation.ts';
import { Membership } from '../../../db/entities/accounts/membership.ts';
import { AppError } from '../../../domain/app-error.ts';
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
  /** Those whose issuers keep what they gave. */
  providers: ReadonlyMap<string, OidcProvider>;
  ipAddress: string;
  groups: ReadonlySet<string>;
}

/** What the matching grants give in an account: the highest of their roles. */
interface GrantedRole {
  role: AssignableRole;
  /** Whether one of them names a group, and not everybody. */
  byGroup: boolean;
}

/** The roles for these groups by tenant. */
export function grantedRoles(
  grants: readonly Grant[],
  groups: ReadonlySet<string>,
): Map<string, GrantedRole> {
  const roles = new Map<string, GrantedRole>();
  for (const { tenantId, role, group } of grants) {
    if (group !== undefined && !groups.has(group)) continue;
    const other = roles.get(tenantId);
    const isHigher = !other || lowerRole(other.role, role) === other.role;
    roles.set(tenantId, {
      role: isHigher ? role : other.role,
      byGroup: group !== undefined || other?.byGroup === true,
    });
  }
  return roles;
}

/**
 * Gives a user the memberships of their groups, and takes away those that this issuer gave and the grants no longer do,
 * with their sessions and keys. Owners stay, as do members by invitation or another issuer whom no group names.
 *
 * @returns the error MEMBER_LIMIT if an account was full, when all else is done
 */
export async function grantMemberships(
  em: EntityManager,
  grants: readonly Grant[],
  user: GrantedUser,
): Promise<AppError | undefined> {
  const { userId, issuer, groups } = user;
  const roles = grantedRoles(grants, groups);
  // Most logins change nothing, and then lock nothing.
  const held = await em.find(Membership, { userId });
  for (const { tenantId, grantedBy } of held) {
    if (grantedBy !== issuer || roles.has(tenantId)) continue;
    await em.transactional((tx) => endGranted(tx, tenantId, user));
  }
  let full: AppError | undefined;
  for (const [tenantId, granted] of roles) {
    const before = held.find((each) => each.tenantId === tenantId);
    if (before && !changes(granted, before, user)) continue;
    try {
      await em.transactional((tx) => giveRole(tx, tenantId, granted, user));
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'MEMBER_LIMIT') throw error;
      full = error;
      await record(em, tenantId, user, 'member.joined', { role: granted.role }, error.message);
    }
  }
  return full;
}

/**
 * Whether a grant changes a membership. One for everybody changes only what its issuer gave, or one that is gone: it
 * would otherwise lower the members by invitation, and shut them out of their passwords.
 */
function changes(
  { role, byGroup }: GrantedRole,
  before: Pick<Membership, 'role' | 'grantedBy'>,
  { issuer, providers }: GrantedUser,
): boolean {
  const { grantedBy } = before;
  if (before.role === 'owner') return false;
  if (grantedBy === issuer) return before.role !== role;
  return byGroup || (typeof grantedBy === 'string' && !isConfigured(providers, grantedBy));
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
  granted: GrantedRole,
  user: GrantedUser,
): Promise<void> {
  const { userId, issuer } = user;
  const { role } = granted;
  const before = await lockMembership(tx, tenantId, userId);
  if (before) {
    if (!changes(granted, before, user)) return;
    await tx.nativeUpdate(Membership, { tenantId, userId }, { role, grantedBy: issuer });
    // Also where only the issuer changes: passwords no longer lead here.
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
  errorMessage?: string,
): Promise<void> {
  const resource = { type: 'user', id: userId };
  return recordAuditEvent(tx, {
    tenantId,
    type,
    userId,
    ipAddress,
    resource,
    metadata: { ...metadata, issuer },
    ...(errorMessage !== undefined && { result: 'failure', errorMessage }),
  });
}
