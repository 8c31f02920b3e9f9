import type { EntityManager } from '@mikro-orm/postgresql';
import { StorageConfig } from '../../db/entities/accounts/storage-config.ts';
import type { AppError } from '../../domain/app-error.ts';
import { isBucketFailure } from '../../domain/bucket-failure.ts';
import { explainBucketFailure } from './explain-bucket-failure.ts';
import { requireStorageConfig } from './find-storage-config.ts';
import { openBucket } from './open-bucket.ts';
import { probeBucket } from './probe-bucket.ts';
import { credentialsOf, type BucketAccess } from './tenant-stores.ts';

/**
 * Uses the configured bucket once more, and records the outcome.
 *
 * @returns the configuration, with why it cannot be used in `error`
 * @throws AppError STORAGE_NOT_CONFIGURED
 */
export async function validateStorage(
  deps: { em: EntityManager } & BucketAccess,
  tenantId: string,
): Promise<StorageConfig> {
  const { em } = deps;
  const config = await requireStorageConfig(em, tenantId);
  const failure = await probe(deps, config);
  // Credentials that were replaced meanwhile have been validated on their own.
  const { id, version } = config;
  const outcome = { isValidated: failure === undefined, error: failure?.message ?? null };
  await em.nativeUpdate(StorageConfig, { id, version }, outcome);
  return Object.assign(config, outcome);
}

async function probe({ cipher, guard }: BucketAccess, config: StorageConfig): Promise<AppError | undefined> {
  try {
    return await probeBucket(openBucket(config, credentialsOf(cipher, config), guard));
  } catch (error) {
    const explained = explainBucketFailure(error);
    if (isBucketFailure(explained)) return explained;
    throw error;
  }
}
