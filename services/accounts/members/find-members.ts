import type { EntityManager } from '@mikro-orm/postgresql';
import type { Role } from '../../../domain/accounts/permissions.ts';
import { notFound } from '../../../domain/app-error.ts';

export const MEMBER_STATUSES = ['active', 'invited'] as const;
export type MemberStatus = (typeof MEMBER_STATUSES)[number];

/** A user in a tenant, or invited to it. */
export interface Member {
  id: string;
  email: string;
  name: string;
  role: Role;
  /** An invited user has no access until they accept. */
  status: MemberStatus;
  /** For an invited user, the time of the invitation. */
  joinedAt: Date;
  /** The last activity in this tenant, by login session or key. */
  lastActiveAt: Date | null;
}

interface MemberRow {
  id: string;
  email: string;
  name: string;
  role: Role;
  status: MemberStatus;
  joined_at: string;
  last_active_at: string | null;
}

/** All members and invited users of a tenant, oldest first. */
export function listMembers(em: EntityManager, tenantId: string): Promise<Member[]> {
  return read(em, 'm.tenant_id = ?', [tenantId]);
}

/** @throws AppError NOT_FOUND */
export async function readMember(em: EntityManager, tenantId: string, userId: string): Promise<Member> {
  const [member] = await read(em, 'm.tenant_id = ? and m.user_id = ?', [tenantId, userId]);
  if (!member) throw notFound('member');
  return member;
}

/**
 * An invited user is shown by their address: an invitation must not reveal whether, and under
 * which name, the address has an account with us.
 */
async function read(em: EntityManager, where: string, params: string[]): Promise<Member[]> {
  const rows = await em.execute<MemberRow[]>(
    `select u.id, u.email, m.role, m.status, m.joined_at, active.last_active_at,
       case when m.status = 'invited' then u.email else u.name end as name
     from (
       select tenant_id, user_id, role, 'active' as status, joined_at, last_active_at from memberships
       union all
       select tenant_id, user_id, role, 'invited', created_at, null from invitations) m
       join users u on u.id = m.user_id
       cross join lateral (
         select greatest(m.last_active_at, max(k.last_used_at)) as last_active_at
         from api_keys k where k.created_by = m.user_id and k.tenant_id = m.tenant_id) as active
     where ${where} order by m.joined_at, m.user_id`,
    params,
  );
  return rows.map(({ joined_at: joinedAt, last_active_at: lastActiveAt, ...member }) => ({
    ...member,
    joinedAt: new Date(joinedAt),
    lastActiveAt: lastActiveAt === null ? null : new Date(lastActiveAt),
  }));
}
