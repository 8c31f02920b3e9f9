import type { EntityManager } from '@mikro-orm/postgresql';
import { StorageConfig } from '../../db/entities/accounts/storage-config.ts';
import { recordAuditEvent } from '../audit-log/record-audit-event.ts';
import type { StorageActor } from './configure-storage.ts';
import { isInUse } from './storage-in-use.ts';

/** What became of a configuration. */
export type RetiredStorage = { removed: false } | { removed: true; bucketName: string; holdsFiles: boolean };

/** Sends new uploads of a tenant to the default bucket. Files in its own bucket stay, and readable. Idempotent. */
export async function retireStorage(
  em: EntityManager,
  { principal: { tenantId, credential }, ipAddress }: StorageActor,
): Promise<RetiredStorage> {
  return em.transactional(async (tx) => {
    await tx.execute('select 1 from tenants where id = ? for update', [tenantId]);
    const config = await tx.findOne(StorageConfig, { tenantId, retiredAt: null });
    if (!config) return { removed: false };
    config.retiredAt = new Date();
    await recordAuditEvent(tx, {
      tenantId,
      type: 'storage.removed',
      credential,
      ipAddress,
      resource: { type: 'storage_config', id: config.id },
      metadata: { endpoint: config.endpoint, bucket_name: config.bucketName },
    });
    await tx.flush();
    return { removed: true, bucketName: config.bucketName, holdsFiles: await isInUse(tx, config.id) };
  });
}
