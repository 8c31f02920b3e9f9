import type { EntityManager } from '@mikro-orm/postgresql';
import type { Role } from '../../../domain/accounts/permissions.ts';
import type { Tier } from '../../../domain/accounts/tiers.ts';
import { randomUUID } from 'node:crypto';
import { Membership } from '../../../db/entities/accounts/membership.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import { AppError } from '../../../domain/app-error.ts';
import { recordAuditEvent, type AuditRecord } from '../../audit-log/record-audit-event.ts';

/** A tenant that a user can act in. */
export interface TenantOfUser {
  id: string;
  name: string;
  tier: Tier;
  role: Role;
  /** The issuer without whose login the user cannot act here; null for none. */
  grantedBy: string | null;
}

/**
 * The active tenants of a user: the one used last first, then their own, then by age. Those of others only once the
 * address is verified: a person who registered it in advance must not get the invitations of its owner.
 */
export async function findTenantsOfUser(em: EntityManager, userId: string): Promise<TenantOfUser[]> {
  return em.execute<TenantOfUser[]>(
    `select t.id, t.name, t.tier, m.role, m.granted_by as "grantedBy" from memberships m
       join tenants t on t.id = m.tenant_id and t.is_active
       join users u on u.id = m.user_id
     where m.user_id = ? and u.email_verified_at is not null
     order by m.last_active_at desc nulls last, m.role = 'owner' desc, m.joined_at, t.id`,
    [userId],
  );
}

/**
 * Whether a login may act in a tenant. Groups give access only together with the login that told them: another one, such
 * as a password, would outlive them.
 *
 * @param issuer that confirmed the login; null for a password
 */
export function mayAct({ grantedBy }: Pick<TenantOfUser, 'grantedBy'>, issuer: string | null): boolean {
  return grantedBy === null || grantedBy === issuer;
}

export function identityProviderRequired(): AppError {
  return new AppError(
    'IDENTITY_PROVIDER_REQUIRED',
    'your access to this account comes from your identity provider; log in there',
  );
}

/**
 * Creates a tenant in the FREE tier for a user, in the caller's transaction.
 *
 * @returns the tenant's id
 */
export async function createOwnTenant(
  tx: EntityManager,
  { userId, name, ipAddress }: { userId: string; name: string; ipAddress: string },
): Promise<string> {
  const tenantId = randomUUID();
  const createdAt = new Date();
  await tx.insert(Tenant, { id: tenantId, name, tier: 'free', createdAt });
  await tx.insert(Membership, { tenantId, userId, role: 'owner', joinedAt: createdAt });
  const resource = { type: 'tenant', id: tenantId };
  await recordAuditEvent(tx, { tenantId, userId, ipAddress, type: 'tenant.created', resource });
  return tenantId;
}

/**
 * Records an event of a user who is not logged in, in the tenant where they would log in. Without a tenant there is no
 * audit log to record it in.
 */
export async function recordUserEvent(
  em: EntityManager,
  record: Omit<AuditRecord, 'tenantId' | 'credential'> & { userId: string },
): Promise<void> {
  const [tenant] = await findTenantsOfUser(em, record.userId);
  if (tenant) await recordAuditEvent(em, { tenantId: tenant.id, ...record });
}
