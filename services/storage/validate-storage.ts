import type { EntityManager } from '@mikro-orm/postgresql';
import { StorageConfig } from '../../db/entities/accounts/storage-config.ts';
import { AppError } from '../../domain/app-error.ts';
import { isBucketFailure } from '../../domain/bucket-failure.ts';
import { explainBucketFailure } from './explain-bucket-failure.ts';
import { requireStorageConfig } from './read-storage.ts';
import { openBucket, credentialsOf, type BucketAccess } from './tenant-stores.ts';
import { randomBytes } from 'node:crypto';
import { type ObjectStore, ObjectStoreRefused } from '../../adapters/object-store/object-store.ts';

/** A prefix for probes only, so that leftovers of an interrupted probe are distinguishable from files. */
const PROBE_PREFIX = 'darkroom-probe/';
const PROBE = Buffer.from('Written to test access to this bucket. It can be deleted.\n');

/**
 * Probes the configured bucket again, and records the outcome.
 *
 * @returns the configuration, with the reason why it cannot be used in `error`
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

/**
 * Probes a bucket with the operations of uploads and downloads: finds it, and writes, reads, lists and removes an
 * object.
 *
 * @returns why it cannot be used; undefined if it can
 */
export async function probeBucket(store: ObjectStore): Promise<AppError | undefined> {
  const key = `${PROBE_PREFIX}${randomBytes(8).toString('hex')}`;
  try {
    await store.ready();
    await during('written', () => store.put(key, PROBE, { contentType: 'text/plain' }));
    await during('read', async () => {
      const read = await store.read(key, { maxBytes: PROBE.length });
      if (!read.equals(PROBE)) throw new ObjectStoreRefused('', 'other bytes were read than written');
    });
    await during('listed', async () => {
      for await (const _ of store.list(key));
    });
    await during('removed', () => store.remove([key]));
    return undefined;
  } catch (error) {
    const explained = explainBucketFailure(error);
    if (isBucketFailure(explained)) return explained;
    throw error;
  }
}

/** Adds the attempted operation to the error of a bucket. */
async function during(what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const explained = explainBucketFailure(error);
    if (!isBucketFailure(explained)) throw error;
    const { code, message, details } = explained;
    throw new AppError(code, `${message} (an object was to be ${what})`, details, { cause: error });
  }
}
