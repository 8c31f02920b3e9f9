import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Tenant } from '../../db/entities/accounts/tenant.ts';
import { recordAuditEvent } from '../audit-log/record-audit-event.ts';

/** Tenant fields that an operator can change; null restores the tier's limit, -1 means unlimited. */
export type TenantLimitChanges = Partial<Pick<Tenant, 'tier' | 'maxRequestsPerMinute' | 'maxMonthlyCredits'>>;

/**
 * Changes tier and limits of a tenant, which apply from its next request on.
 *
 * @returns the tenant after the change; undefined if there is none
 */
export async function changeTenantLimits(
  em: EntityManager,
  tenantId: string,
  changes: TenantLimitChanges,
): Promise<Tenant | undefined> {
  return em.transactional(async (tx) => {
    const tenant = await tx.findOne(Tenant, tenantId, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!tenant) return undefined;
    const { tier, maxRequestsPerMinute, maxMonthlyCredits } = tenant;
    Object.assign(tenant, changes, { updatedAt: new Date() });
    await recordAuditEvent(tx, {
      tenantId,
      type: 'tenant.limits_changed',
      resource: { type: 'tenant', id: tenantId },
      metadata: { by: 'operator', before: { tier, maxRequestsPerMinute, maxMonthlyCredits }, changes },
    });
    return tenant;
  });
}

/**
 * Disables a tenant, or enables it again, from its next request on. While it is disabled, every request of its keys and
 * sessions is refused; work that was accepted before continues. Idempotent.
 *
 * @returns the tenant; undefined if there is none, or it was deleted
 */
export async function setTenantActive(
  em: EntityManager,
  tenantId: string,
  isActive: boolean,
): Promise<Tenant | undefined> {
  return em.transactional(async (tx) => {
    const tenant = await tx.findOne(
      Tenant,
      { id: tenantId, deletedAt: null },
      { lockMode: LockMode.PESSIMISTIC_WRITE },
    );
    if (!tenant || tenant.isActive === isActive) return tenant ?? undefined;
    Object.assign(tenant, { isActive, updatedAt: new Date() });
    await recordAuditEvent(tx, {
      tenantId,
      type: isActive ? 'tenant.enabled' : 'tenant.disabled',
      resource: { type: 'tenant', id: tenantId },
      metadata: { by: 'operator' },
    });
    return tenant;
  });
}
