import type { EntityManager } from '@mikro-orm/postgresql';
import { randomUUID } from 'node:crypto';
import { Membership } from '../../../db/entities/accounts/membership.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import { recordAuditEvent } from '../../audit-log/record-audit-event.ts';

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
