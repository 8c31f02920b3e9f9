import type { EntityManager } from '@mikro-orm/postgresql';
import type { Role } from '../../../domain/accounts/permissions.ts';
import type { Tier } from '../../../domain/accounts/tiers.ts';

/** A tenant that a user can act in. */
export interface TenantOfUser {
  id: string;
  name: string;
  tier: Tier;
  role: Role;
}

/**
 * The active tenants of a user: the one used last first, then their own, then by age. Those of others only once the
 * address is verified: whoever registered it in advance must not get what its owner is invited to.
 */
export async function findTenantsOfUser(em: EntityManager, userId: string): Promise<TenantOfUser[]> {
  return em.execute<TenantOfUser[]>(
    `select t.id, t.name, t.tier, m.role from memberships m
       join tenants t on t.id = m.tenant_id and t.is_active
       join users u on u.id = m.user_id
     where m.user_id = ? and u.email_verified_at is not null
     order by m.last_active_at desc nulls last, m.role = 'owner' desc, m.joined_at, t.id`,
    [userId],
  );
}
