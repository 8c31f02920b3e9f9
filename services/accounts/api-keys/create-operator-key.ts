import type { EntityManager } from '@mikro-orm/postgresql';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import type { Scope } from '../../../domain/accounts/access.ts';
import { TIER_LIMITS } from '../../../domain/accounts/tiers.ts';
import { AppError, notFound } from '../../../domain/app-error.ts';
import { recordAuditEvent } from '../../audit-log/record-audit-event.ts';
import { tenantDisabled } from '../tenant-disabled.ts';
import { lockTenant } from '../tenants/lock-tenant.ts';
import { insertKey, refuseTooManyKeys } from './create-api-key.ts';

/**
 * Creates an API key of a tenant for an operator. It belongs to no member, so it continues when one of them leaves.
 *
 * @param scopes null for everything that keys may do
 * @returns the key itself, which is stored nowhere
 * @throws AppError NOT_FOUND, TENANT_DISABLED, INSUFFICIENT_TIER, API_KEY_LIMIT
 */
export async function createOperatorKey(
  em: EntityManager,
  tenantId: string,
  { name, scopes }: { name: string; scopes: Scope[] | null },
): Promise<string> {
  return em.transactional(async (tx) => {
    await lockTenant(tx, tenantId);
    const tenant = await tx.findOne(Tenant, { id: tenantId, deletedAt: null });
    if (!tenant) throw notFound('tenant');
    if (!tenant.isActive) throw tenantDisabled();
    if (!TIER_LIMITS[tenant.tier].apiAccess) {
      throw new AppError('INSUFFICIENT_TIER', `keys do not work in the tier ${tenant.tier}; see set-tier`);
    }
    await refuseTooManyKeys(tx, tenantId);
    const owner = { tenantId, userId: null };
    const { id, secret } = await insertKey(tx, owner, 'owner', { name, scopes, expiresAt: null });
    await recordAuditEvent(tx, {
      tenantId,
      type: 'api_key.created',
      resource: { type: 'api_key', id },
      metadata: { by: 'operator', scopes, expires_at: null },
    });
    return secret;
  });
}
