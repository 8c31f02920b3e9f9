import { z } from 'zod';
import { timestamp } from '../fields.ts';

const MAX_ACCESS_KEY_ID = 128;
const MAX_SECRET = 256;
const MAX_REGION = 64;
const MAX_ENDPOINT = 500;

const credential = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[\x21-\x7e]+$/, 'must have no spaces, and ASCII characters alone');
/** "Bucket names can consist only of lowercase letters, numbers, periods, and hyphens." */
const bucketName = z
  .string()
  .min(3)
  .max(63)
  .regex(/^[a-z0-9][a-z0-9.-]+[a-z0-9]$/, 'must be the name of an S3 bucket');
const region = z
  .string()
  .max(MAX_REGION)
  .regex(/^[a-z0-9][a-z0-9-]*$/, 'must be a region such as eu-central-1');
const endpoint = z
  .url({ protocol: /^https?$/, error: 'must be a URL such as https://s3.example.com' })
  .max(MAX_ENDPOINT)
  .refine(isOrigin, 'must have neither path, query nor credentials')
  .nullish()
  .meta({
    description:
      "URL of an S3-compatible service, without a path; if absent, AWS's in the region. It needs a public address and https",
  });

export const storageConfigBody = z.strictObject({
  access_key_id: credential(MAX_ACCESS_KEY_ID),
  secret_access_key: credential(MAX_SECRET),
  bucket_name: bucketName,
  region,
  endpoint,
});

const bucket = {
  bucket_name: z.string(),
  region: z.string(),
  endpoint: z.string().meta({ description: 'URL of the S3-compatible service' }),
};

export const storageConfigAnswer = z
  .object({
    configured: z.boolean(),
    bucket_name: bucket.bucket_name.nullable(),
    region: bucket.region.nullable(),
    endpoint: bucket.endpoint.nullable().meta({ description: 'URL of the S3-compatible service' }),
    configured_at: timestamp.nullable().meta({ description: 'When its credentials were last set' }),
    is_validated: z.boolean().nullable(),
    error: z.string().nullable().meta({ description: 'Why the bucket cannot be used, if it cannot' }),
    retired_buckets: z
      .array(z.object({ ...bucket, retired_at: timestamp, error: z.string().nullable() }))
      .meta({
        description:
          'Former buckets. Their credentials are kept while files of this account lie there, which stay readable',
      }),
  })
  .meta({ id: 'StorageConfig' });

export const storageValidation = z
  .object({ valid: z.boolean(), ...bucket, error: z.string().nullable() })
  .omit({ endpoint: true })
  .meta({ id: 'StorageValidation' });

export const storageRemoval = z
  .object({ removed: z.boolean(), message: z.string() })
  .meta({ id: 'StorageRemoval' });

function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && `${url.origin}/` === url.href;
}
