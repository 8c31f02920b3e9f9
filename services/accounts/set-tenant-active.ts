import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Tenant } from '../../db/entities/accounts/tenant.ts';
import { recordAuditEvent } from '../audit-log/record-audit-event.ts';

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
