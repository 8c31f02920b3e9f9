import { z } from 'zod';
import type { BucketAddress } from '../../domain/connections.ts';
import type { StorageConfig } from '../../db/entities/accounts/storage-config.ts';
import type { StorageStatus } from '../../services/storage/read-storage.ts';
import type { RetiredStorage } from '../../services/storage/retire-storage.ts';
import { message, timestamp } from './fields.ts';

export const MAX_ACCESS_KEY_ID = 128;
export const MAX_SECRET = 256;
const MAX_REGION = 64;
const MAX_ENDPOINT = 500;

export const credential = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[\x21-\x7e]+$/, 'must have no spaces, and ASCII characters alone');
/** "Bucket names can consist only of lowercase letters, numbers, periods, and hyphens." */
const bucketName = z
  .string()
  .min(3)
  .max(63)
  .regex(
    /^(?!.*\.\.|\d+\.\d+\.\d+\.\d+$)[a-z0-9][a-z0-9.-]+[a-z0-9]$/,
    'must be the name of an S3 bucket, without two periods in a row, and not an IP address',
  );
const region = z
  .string()
  .max(MAX_REGION)
  .regex(/^[a-z0-9][a-z0-9-]*$/, 'must be a region such as eu-central-1');
const endpoint = z
  .url({ protocol: /^https?$/, error: 'must be a URL such as https://s3.example.com' })
  .max(MAX_ENDPOINT)
  .refine(isOrigin, 'must have neither path, query nor credentials')
  .refine(hasUsableHost, 'must have the name of a host, or an IPv4 address')
  .nullish()
  .describe(
    "URL of an S3-compatible service, without a path; if absent, AWS's in the region. It needs a public address and https",
  );

/** Where a bucket is. */
export const bucketFields = {
  bucket_name: bucketName.describe('Name of the bucket'),
  region: region.describe('Region of the bucket'),
  endpoint,
};

export const storageConfigBody = z.strictObject({
  access_key_id: credential(MAX_ACCESS_KEY_ID).describe('Id of an access key for the bucket; never returned'),
  secret_access_key: credential(MAX_SECRET).describe('Secret of the access key; never returned'),
  ...bucketFields,
});

/** The address in `bucketFields`. */
export function bucketAddressOf(body: {
  bucket_name: string;
  region: string;
  endpoint?: string | null | undefined;
}): BucketAddress {
  const { region: named, bucket_name: name } = body;
  const aws = `https://s3.${named}.amazonaws.com${named.startsWith('cn-') ? '.cn' : ''}`;
  return { endpoint: body.endpoint ? new URL(body.endpoint).origin : aws, region: named, bucketName: name };
}

const bucket = {
  bucket_name: z.string().describe('Name of the bucket'),
  region: z.string().describe('Region of the bucket'),
  endpoint: z.string().describe('URL of the S3-compatible service'),
};

export const storageConfigAnswer = z
  .object({
    configured: z.boolean().describe('Whether the account has a bucket of its own for new uploads'),
    bucket_name: z.string().nullable().describe('Name of the bucket; null without one'),
    region: z.string().nullable().describe('Region of the bucket; null without one'),
    endpoint: bucket.endpoint.nullable().describe('URL of the S3-compatible service; null without a bucket'),
    configured_at: timestamp.nullable().describe('When its credentials were last set; null without a bucket'),
    is_validated: z
      .boolean()
      .nullable()
      .describe('Whether the bucket could be used when it was last tested; null without one'),
    error: z.string().nullable().describe('Why the bucket cannot be used; null if it can'),
    retired_buckets: z
      .array(
        z.object({
          ...bucket,
          retired_at: timestamp.describe('When the bucket was replaced or removed'),
          error: z.string().nullable().describe('Why the bucket cannot be used; null if it can'),
        }),
      )
      .describe(
        'Former buckets. Their credentials are kept while files of this account lie there, which stay readable',
      ),
  })
  .meta({ id: 'StorageConfig' });

export const storageValidation = z
  .object({
    valid: z.boolean().describe('Whether the bucket can be used'),
    ...bucket,
    error: z.string().nullable().describe('Why the bucket cannot be used; null if it can'),
  })
  .omit({ endpoint: true })
  .meta({ id: 'StorageValidation' });

export const storageRemoval = z
  .object({ removed: z.boolean().describe('Whether a bucket was configured, and no longer is'), message })
  .meta({ id: 'StorageRemoval' });

/** Whether the client of the bucket can address the host. */
function hasUsableHost(text: string): boolean {
  return /^[a-z0-9]([a-z0-9._-]*[a-z0-9.])?$/.test(URL.parse(text)?.hostname ?? '');
}

function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && `${url.origin}/` === url.href;
}

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
