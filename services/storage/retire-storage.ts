import type { EntityManager } from '@mikro-orm/postgresql';
import { StorageConfig } from '../../db/entities/accounts/storage-config.ts';
import { recordAuditEvent } from '../audit-log/record-audit-event.ts';
import type { Actor } from '../accounts/principal.ts';
import { lockTenantAsAdmin } from '../accounts/tenants/lock-tenant.ts';

/** Longer than any upload: a request chooses the bucket before its first file claims a key there. */
const IN_FLIGHT_MINUTES = 120;

/** Whether any row refers to an object in the bucket of configuration `c`. */
const IN_USE = `(
  exists (select 1 from files where storage_config_id = c.id)
  or exists (select 1 from upload_intents where storage_config_id = c.id)
  or exists (select 1 from claimed_objects where storage_config_id = c.id))`;

/** The outcome for a configuration. */
export type RetiredStorage = { removed: false } | { removed: true; bucketName: string; holdsFiles: boolean };

/**
 * Directs new uploads of a tenant to the default bucket. Files in its own bucket stay there and remain readable.
 * Idempotent.
 *
 * @throws AppError FORBIDDEN
 */
export async function retireStorage(em: EntityManager, actor: Actor): Promise<RetiredStorage> {
  const { tenantId } = actor;
  return em.transactional(async (tx) => {
    await lockTenantAsAdmin(tx, actor);
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

async function isInUse(em: EntityManager, storageConfigId: string): Promise<boolean> {
  const [row] = await em.execute<{ in_use: boolean }[]>(
    `select ${IN_USE} as in_use from storage_configs c where c.id = ?`,
    [storageConfigId],
  );
  return row?.in_use ?? false;
}

/**
 * Deletes retired configurations, with their credentials, once no row refers to their buckets.
 *
 * @returns how many
 */
export async function forgetRetiredStorage(em: EntityManager): Promise<number> {
  const gone = await em.execute<unknown[]>(
    `delete from storage_configs c
     where c.retired_at < now() - make_interval(mins => ?) and not ${IN_USE} returning 1`,
    [IN_FLIGHT_MINUTES],
  );
  return gone.length;
}
