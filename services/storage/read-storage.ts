import type { EntityManager } from '@mikro-orm/postgresql';
import type { SecretCipher } from '../../adapters/encryption/secret-cipher.ts';
import { StorageConfig } from '../../db/entities/accounts/storage-config.ts';
import { isBucketFailure } from '../../domain/bucket-failure.ts';
import { explainBucketFailure } from './explain-bucket-failure.ts';
import { credentialsOf } from './tenant-stores.ts';
import { AppError } from '../../domain/app-error.ts';

/** The buckets of a tenant. */
export interface StorageStatus {
  /** The target of new uploads; absent if that is the default bucket. */
  active: StorageConfig | undefined;
  /** Former targets, with files that are still in them. */
  retired: StorageConfig[];
}

/** The buckets of a tenant, latest first; undecryptable credentials are reported in `error`. */
export async function readStorage(
  { em, cipher }: { em: EntityManager; cipher: SecretCipher },
  tenantId: string,
): Promise<StorageStatus> {
  const all = await em.find(StorageConfig, { tenantId }, { orderBy: { configuredAt: 'desc' } });
  for (const config of all) {
    try {
      credentialsOf(cipher, config);
    } catch (error) {
      const explained = explainBucketFailure(error);
      if (!isBucketFailure(explained)) throw error;
      Object.assign(config, { isValidated: false, error: explained.message });
    }
  }
  return {
    active: all.find(({ retiredAt }) => retiredAt === null),
    retired: all.filter(({ retiredAt }) => retiredAt !== null),
  };
}

/** The origins of the tenant's own buckets, to which presigned URLs of its files lead. */
export async function bucketOrigins(em: EntityManager, tenantId: string): Promise<string[]> {
  const configs = await em.find(StorageConfig, { tenantId }, { fields: ['endpoint'] });
  return configs.map(({ endpoint }) => new URL(endpoint).origin);
}

/**
 * The configuration that takes new uploads of a tenant.
 *
 * @throws AppError STORAGE_NOT_CONFIGURED
 */
export async function requireStorageConfig(em: EntityManager, tenantId: string): Promise<StorageConfig> {
  const config = await em.findOne(StorageConfig, { tenantId, retiredAt: null });
  if (!config)
    throw new AppError(
      'STORAGE_NOT_CONFIGURED',
      'this account has no bucket of its own; configure one with POST /tenant/storage-config',
    );
  return config;
}

/**
 * The bucket for an upload, by its `storage_target`.
 *
 * @throws AppError STORAGE_NOT_CONFIGURED
 */
export async function chooseBucket(
  em: EntityManager,
  tenantId: string,
  target: string,
): Promise<{ storageConfigId?: string }> {
  return target === 'custom' ? { storageConfigId: (await requireStorageConfig(em, tenantId)).id } : {};
}
