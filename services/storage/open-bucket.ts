import { s3Config } from '../../adapters/object-store/config.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { AGENT_OPTIONS, createS3ObjectStore } from '../../adapters/object-store/s3-object-store.ts';
import type { AddressGuard } from '../../adapters/outbound/address-guard.ts';
import { createGuardedAgent } from '../../adapters/outbound/guarded-agent.ts';

/** A bucket, by its address. */
export interface BucketAddress {
  endpoint: string;
  region: string;
  bucketName: string;
}

export interface BucketCredentials {
  accessKeyId: string;
  secretAccessKey: string;
}

/** A part of 5 MiB in this time is 175 kB/s. */
const ANSWER_WITHIN_MS = 30_000;
/** Fewer than of ours, as there may be many stores. */
const MAX_SOCKETS = 32;

/** The store of a tenant's own bucket. Opening it makes no request. */
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
