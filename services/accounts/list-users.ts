import type { EntityManager } from '@mikro-orm/postgresql';
import type { Role } from '../../domain/accounts/permissions.ts';

/** A user as operators see them. */
export interface UserSummary {
  id: string;
  email: string;
  emailVerified: boolean;
  /** False for those who log in through an identity provider, or have not accepted an invitation yet. */
  hasPassword: boolean;
  /** ISO 8601; null before the first login. */
  lastLoginAt: string | null;
  tenants: { id: string; name: string; role: Role }[];
}

/** All users, or those of one tenant, the oldest first. Deleted ones are left out. */
export async function listUsers(em: EntityManager, tenantId?: string): Promise<UserSummary[]> {
  return em.execute<UserSummary[]>(
    `select u.id, u.email, u.email_verified_at is not null as "emailVerified",
       u.password_hash is not null as "hasPassword",
       to_char(u.last_login_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "lastLoginAt",
       coalesce((select jsonb_agg(jsonb_build_object('id', t.id, 'name', t.name, 'role', m.role) order by m.joined_at, t.id)
         from memberships m join tenants t on t.id = m.tenant_id where m.user_id = u.id), '[]') as tenants
     from users u
     where u.is_active and (?::uuid is null
       or exists (select from memberships m where m.user_id = u.id and m.tenant_id = ?::uuid))
     order by u.created_at, u.id`,
    [tenantId ?? null, tenantId ?? null],
  );
}
