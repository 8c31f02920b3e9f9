import type { SecretCipher } from '../../adapters/encryption/secret-cipher.ts';
import { mountStores, type Mount } from '../../adapters/object-store/mounted-stores.ts';
import { ObjectStoreRefused, type ObjectStore } from '../../adapters/object-store/object-store.ts';
import type { AddressGuard } from '../../adapters/outbound/address-guard.ts';
import { StorageConfig } from '../../db/entities/accounts/storage-config.ts';
import type { Orm } from '../../db/create-orm.ts';
import type { BucketAddress } from '../../domain/connections.ts';
import { storageConfigOf } from '../../domain/object-keys.ts';
import { explainBucketFailure } from './explain-bucket-failure.ts';
import { s3Config } from '../../adapters/object-store/config.ts';
import { AGENT_OPTIONS, createS3ObjectStore } from '../../adapters/object-store/s3-object-store.ts';
import { createGuardedAgent } from '../../adapters/outbound/guarded-agent.ts';

/** 175 kB/s for a part of 5 MiB. */
const ANSWER_WITHIN_MS = 30_000;
/** Fewer than for the service's own store, as there may be many stores. */
const MAX_SOCKETS = 32;

/** The dependencies of tenants' buckets. */
export interface BucketAccess {
  cipher: SecretCipher;
  guard: AddressGuard;
}

interface OpenStore {
  version: number;
  store: ObjectStore;
  readAt: number;
}

/** Other replicas use new credentials at most this much later. */
const FRESH_MS = 5_000;
const MAX_OPEN = 500;
/** A tenant's store may be slow or hostile. */
const LIMITS = {
  // A file has a handful of objects, and its upload up to ten thousand parts.
  maxListed: 20_000,
  // 100 MB at 1.7 MB/s.
  readWithinMs: 60_000,
  // 5 GB at 5.6 MB/s.
  streamWithinMs: 900_000,
} as const;

/**
 * The service's store combined with the buckets of all tenants; the key of an object determines its bucket. Failures of
 * a tenant's bucket are AppErrors, see explain-bucket-failure.ts.
 */
export function createTenantStores({
  orm,
  main,
  cipher,
  guard,
}: { orm: Orm; main: ObjectStore } & BucketAccess): ObjectStore {
  const open = new Map<string, OpenStore>();

  async function storeOf(tenantId: string, id: string): Promise<ObjectStore> {
    const known = open.get(id);
    if (known && Date.now() - known.readAt < FRESH_MS) return known.store;
    const config = await orm.em.fork().findOne(StorageConfig, { id, tenantId });
    if (!config) throw new ObjectStoreRefused('NoSuchBucket', `there is no storage configuration ${id}`);
    const store =
      known?.version === config.version
        ? known.store
        : openBucket(config, credentialsOf(cipher, config), guard);
    open.delete(id);
    open.set(id, { version: config.version, store, readAt: Date.now() });
    const [oldest] = open.keys();
    if (open.size > MAX_OPEN && oldest !== undefined) open.delete(oldest);
    return store;
  }

  return mountStores(main, (key): Mount | undefined => {
    const id = storageConfigOf(key);
    if (id === undefined) return undefined;
    const [, tenantId = ''] = key.split('/');
    return { id, open: () => storeOf(tenantId, id), explain: explainBucketFailure, ...LIMITS };
  });
}

/** @throws EncryptionKeyUnknown, SecretUnreadable */
export function credentialsOf(
  cipher: SecretCipher,
  { tenantId, credentials, encryptionKeyId }: StorageConfig,
): BucketCredentials {
  const secret = cipher.open(tenantId, { keyId: encryptionKeyId, sealed: credentials });
  return JSON.parse(secret) as BucketCredentials;
}

/** Encrypts credentials for a stored configuration. */
export function sealCredentials(
  cipher: SecretCipher,
  tenantId: string,
  { accessKeyId, secretAccessKey }: BucketCredentials,
): Pick<StorageConfig, 'credentials' | 'encryptionKeyId'> {
  const { keyId, sealed } = cipher.seal(tenantId, JSON.stringify({ accessKeyId, secretAccessKey }));
  return { credentials: sealed, encryptionKeyId: keyId };
}

export interface BucketCredentials {
  accessKeyId: string;
  secretAccessKey: string;
}

/** The store of a tenant's own bucket. Makes no request. */
export function openBucket(
  { endpoint, region, bucketName }: BucketAddress,
  { accessKeyId, secretAccessKey }: BucketCredentials,
  guard: AddressGuard,
): ObjectStore {
  const config = s3Config.parse({
    S3_ENDPOINT: endpoint,
    S3_REGION: region,
    S3_BUCKET: bucketName,
    S3_ACCESS_KEY_ID: accessKeyId,
    S3_SECRET_ACCESS_KEY: secretAccessKey,
  });
  const secure = new URL(endpoint).protocol === 'https:';
  const agent = createGuardedAgent(secure, guard, { ...AGENT_OPTIONS, maxSockets: MAX_SOCKETS });
  return createS3ObjectStore(config, { agent, answerWithinMs: ANSWER_WITHIN_MS });
}
