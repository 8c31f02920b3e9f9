import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { StorageConfig } from '../../db/entities/accounts/storage-config.ts';
import type { BucketAddress } from '../../domain/connections.ts';
import type { Actor } from '../accounts/principal.ts';
import { lockTenantAsAdmin } from '../accounts/tenants/lock-tenant.ts';
import { recordAuditEvent } from '../audit-log/record-audit-event.ts';
import { openBucket, sealCredentials, type BucketCredentials, type BucketAccess } from './tenant-stores.ts';
import { probeBucket } from './validate-storage.ts';

/**
 * Makes a bucket the target of new uploads with `storage_target=custom`, after a probe. The former bucket is retired:
 * its files stay there and remain readable. Configuring the same bucket again renews its credentials.
 *
 * @throws AppError STORAGE_REJECTED, STORAGE_UNREACHABLE, FORBIDDEN; then nothing changed
 */
export async function configureStorage(
  { em, cipher, guard }: { em: EntityManager } & BucketAccess,
  actor: Actor,
  address: BucketAddress,
  credentials: BucketCredentials,
): Promise<StorageConfig> {
  const { tenantId } = actor;
  const audit = {
    ...actor,
    type: 'storage.configured',
    metadata: { endpoint: address.endpoint, region: address.region, bucket_name: address.bucketName },
  } as const;
  const failure = await probeBucket(openBucket(address, credentials, guard));
  if (failure) {
    await recordAuditEvent(em, { ...audit, result: 'failure', errorMessage: failure.message });
    throw failure;
  }
  return em.transactional(async (tx) => {
    // Rechecked, since the probe took seconds.
    await lockTenantAsAdmin(tx, actor);
    const configuredAt = new Date();
    const { endpoint, region, bucketName } = address;
    const known = await tx.findOne(StorageConfig, { tenantId, endpoint, bucketName });
    await tx.nativeUpdate(
      StorageConfig,
      { tenantId, retiredAt: null, ...(known && { id: { $ne: known.id } }) },
      { retiredAt: configuredAt },
    );
    const config =
      known ??
      tx.create(StorageConfig, {
        id: randomUUID(),
        tenantId,
        endpoint,
        region,
        bucketName,
        credentials: '',
        encryptionKeyId: '',
        version: 0,
        configuredAt,
        isValidated: true,
        error: null,
        retiredAt: null,
      });
    Object.assign(config, sealCredentials(cipher, tenantId, credentials), {
      region,
      version: config.version + 1,
      configuredAt,
      isValidated: true,
      error: null,
      retiredAt: null,
    });
    await tx.persist(config).flush();
    await recordAuditEvent(tx, { ...audit, resource: { type: 'storage_config', id: config.id } });
    return config;
  });
}
