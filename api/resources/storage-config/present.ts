import type { z } from 'zod';
import type { StorageConfig } from '../../../db/entities/accounts/storage-config.ts';
import type { StorageStatus } from '../../../services/storage/read-storage.ts';
import type { RetiredStorage } from '../../../services/storage/retire-storage.ts';
import type { storageConfigAnswer, storageRemoval, storageValidation } from './schema.ts';

/** The buckets of a tenant. Credentials are never returned, not even in part. */
export function presentStorage({ active, retired }: StorageStatus): z.input<typeof storageConfigAnswer> {
  return {
    configured: active !== undefined,
    bucket_name: active?.bucketName ?? null,
    region: active?.region ?? null,
    endpoint: active?.endpoint ?? null,
    configured_at: active?.configuredAt.toISOString() ?? null,
    is_validated: active?.isValidated ?? null,
    error: active?.error ?? null,
    retired_buckets: retired.flatMap(({ bucketName, region, endpoint, retiredAt, error }) =>
      retiredAt
        ? {
            bucket_name: bucketName,
            region,
            endpoint,
            retired_at: retiredAt.toISOString(),
            error: error ?? null,
          }
        : [],
    ),
  };
}

export function presentValidation({
  isValidated,
  bucketName,
  region,
  error,
}: StorageConfig): z.input<typeof storageValidation> {
  return { valid: isValidated, bucket_name: bucketName, region, error: error ?? null };
}

export function presentRemoval(result: RetiredStorage): z.input<typeof storageRemoval> {
  if (!result.removed) return { removed: false, message: 'No bucket was configured.' };
  const message = result.holdsFiles
    ? `New uploads go to the default bucket. The files in ${result.bucketName} stay there and readable; ` +
      'its credentials are kept, encrypted, until the last of them is gone.'
    : `New uploads go to the default bucket. No files are in ${result.bucketName}; its credentials are deleted within hours.`;
  return { removed: true, message };
}
