import type { EntityManager } from '@mikro-orm/postgresql';
import { StorageConfig } from '../../db/entities/accounts/storage-config.ts';
import { recordAuditEvent } from '../audit-log/record-audit-event.ts';
import type { Actor } from '../accounts/actor.ts';
import { recheckAdmin } from '../accounts/tenants/recheck-admin.ts';
import { lockTenant } from '../accounts/tenants/lock-tenant.ts';
import { isInUse } from './storage-in-use.ts';

/** What became of a configuration. */
export type RetiredStorage = { removed: false } | { removed: true; bucketName: string; holdsFiles: boolean };

/**
 * Sends new uploads of a tenant to the default bucket. Files in its own bucket stay, and readable. Idempotent.
 *
 * @throws AppError FORBIDDEN
 */
export async function retireStorage(em: EntityManager, actor: Actor): Promise<RetiredStorage> {
  const { tenantId } = actor;
  return em.transactional(async (tx) => {
    await lockTenant(tx, tenantId);
    await recheckAdmin(tx, actor);
    const config = await tx.findOne(StorageConfig, { tenantId, retiredAt: null });
    if (!config) return { removed: false };
    config.retiredAt = new Date();
    await recordAuditEvent(tx, {
      ...actor,
      type: 'storage.removed',
      resource: { type: 'storage_config', id: config.id },
      metadata: { endpoint: config.endpoint, bucket_name: config.bucketName },
    });
    await tx.flush();
    return { removed: true, bucketName: config.bucketName, holdsFiles: await isInUse(tx, config.id) };
  });
}
