import type { EntityManager } from '@mikro-orm/postgresql';
import { s3Config } from '../../adapters/object-store/config.ts';
import { AGENT_OPTIONS } from '../../adapters/object-store/s3-object-store.ts';
import {
  createSourceBucket,
  SourceFailed,
  type SourceBucket,
} from '../../adapters/object-store/source-bucket.ts';
import { createGuardedAgent } from '../../adapters/outbound/guarded-agent.ts';
import type { AddressGuard } from '../../adapters/outbound/address-guard.ts';
import type { Connection } from '../../db/entities/connections/connection.ts';
import { AppError } from '../../domain/app-error.ts';
import { isBucketFailure } from '../../domain/bucket-failure.ts';
import type { BucketAddress } from '../../domain/connections.ts';
import type { Actor } from '../accounts/principal.ts';
import { explainBucketFailure } from '../storage/explain-bucket-failure.ts';
import type { BucketAccess, BucketCredentials } from '../storage/tenant-stores.ts';
import { insertConnection } from './create-connection.ts';
import { secretOf } from './sealed-secret.ts';

/** As for buckets of tenants: 175 kB/s for 5 MiB. */
const ANSWER_WITHIN_MS = 30_000;
const MAX_SOCKETS = 32;

/**
 * Stores access to a bucket that files are imported from, after its first objects were listed.
 *
 * @param key absent for a public bucket
 * @throws AppError FORBIDDEN, CONNECTION_REJECTED, CONNECTION_UNAVAILABLE, CONNECTION_LIMIT
 */
export async function connectBucket(
  { em, cipher, guard }: { em: EntityManager } & BucketAccess,
  actor: Actor,
  { name, bucket, key }: { name: string; bucket: BucketAddress; key?: BucketCredentials | undefined },
): Promise<Connection> {
  try {
    const { signal } = new AbortController();
    await openSourceBucket(bucket, key, guard).list({ prefix: '', limit: 1, signal });
  } catch (error) {
    const explained = explainBucketFailure(error instanceof SourceFailed ? error.reason : error);
    if (!isBucketFailure(explained)) throw error;
    const code = explained.code === 'STORAGE_UNREACHABLE' ? 'CONNECTION_UNAVAILABLE' : 'CONNECTION_REJECTED';
    const message = explained.message.replace('the bucket of this account', 'the bucket');
    throw new AppError(code, message, explained.details, { cause: error });
  }
  return insertConnection({ em, cipher }, actor, {
    provider: 's3',
    name,
    bucket,
    secret: JSON.stringify(key ?? null),
  });
}

/** The key of the bucket of a connection; undefined for a public one. @throws EncryptionKeyUnknown, SecretUnreadable */
export function bucketKeyOf(
  cipher: BucketAccess['cipher'],
  connection: Connection,
): BucketCredentials | undefined {
  return (JSON.parse(secretOf(cipher, connection)) as BucketCredentials | null) ?? undefined;
}

/** A bucket to read from. Makes no request. */
export function openSourceBucket(
  { endpoint, region, bucketName }: BucketAddress,
  key: BucketCredentials | undefined,
  guard: AddressGuard,
): SourceBucket {
  const signed = s3Config.parse({
    S3_ENDPOINT: endpoint,
    S3_REGION: region,
    S3_BUCKET: bucketName,
    S3_ACCESS_KEY_ID: key?.accessKeyId ?? 'none',
    S3_SECRET_ACCESS_KEY: key?.secretAccessKey ?? 'none',
  });
  const config = key ? signed : { ...signed, S3_ACCESS_KEY_ID: '' };
  const secure = new URL(endpoint).protocol === 'https:';
  const agent = createGuardedAgent(secure, guard, { ...AGENT_OPTIONS, maxSockets: MAX_SOCKETS });
  return createSourceBucket(config, { agent, answerWithinMs: ANSWER_WITHIN_MS });
}
