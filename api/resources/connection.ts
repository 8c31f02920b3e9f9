import { z } from 'zod';
import { optional, optionalWith, displayName } from '../../domain/schemas/text.ts';
import { idParam, timestamp } from './fields.ts';
import type { Connection } from '../../db/entities/connections/connection.ts';
import { connectionProvider } from './enums.ts';
import { bucketFields, credential, MAX_ACCESS_KEY_ID, MAX_SECRET } from './storage-config.ts';

const MAX_NAME = 100;
const MAX_REFRESH_TOKEN = 2048;
const MAX_RETURNED = 2048;

const provider = connectionProvider.describe(
  'Provider of the account; `s3` is a bucket of an S3-compatible store',
);
const name = displayName(MAX_NAME).describe('Name that tells connections apart');
const shared = {
  provider: optionalWith(z.literal('google_sheets'), 'google_sheets').describe('Provider of the account'),
  name: optionalWith(name, 'Google Sheets').describe('Name that tells connections apart'),
};

const googleBody = z
  .strictObject({
    ...shared,
    refresh_token: z
      .string()
      .min(1)
      .max(MAX_REFRESH_TOKEN)
      .regex(/^[\x21-\x7e]+$/, 'must have no spaces, and ASCII characters alone')
      .describe('Refresh token from a consent to the client of this service; never returned'),
  })
  .meta({ id: 'NewGoogleConnection' });

const bucketBody = z
  .strictObject({
    provider: z.literal('s3').describe('A bucket of an S3-compatible store'),
    name: optional(name).describe('Name that tells connections apart; by default that of the bucket'),
    ...bucketFields,
    access_key_id: optional(credential(MAX_ACCESS_KEY_ID)).describe(
      'Id of an access key that may list and read the bucket; absent for a public bucket. Never returned',
    ),
    secret_access_key: optional(credential(MAX_SECRET)).describe('Secret of the access key; never returned'),
  })
  .refine((body) => (body.access_key_id == null) === (body.secret_access_key == null), {
    path: ['secret_access_key'],
    message: 'must be given together with access_key_id',
  })
  .meta({ id: 'NewBucketConnection' });

export const connectionBody = z.union([bucketBody, googleBody]);

export const consentBody = z.strictObject(shared);

export const consent = z
  .object({
    authorization_url: z.url().describe('Where the owner of the account consents, in a browser'),
    expires_at: timestamp.describe('Until when they can consent'),
  })
  .meta({ id: 'ConnectionConsent' });

/** Query parameters of the provider's redirect; others are ignored. */
export const consentReturn = z.object({
  state: z.string().min(1).max(MAX_RETURNED).describe('The state that was sent to the provider'),
  code: z
    .string()
    .min(1)
    .max(MAX_RETURNED)
    .optional()
    .describe('Code of the consent; absent if it was refused'),
  error: z.string().max(MAX_RETURNED).optional().describe('Why there is no code'),
});

export const connectionParams = z.object({ connection_id: idParam('Id of the connection') });

export const connection = z
  .object({
    id: z.uuid().describe('Id of the connection'),
    provider,
    name,
    bucket: z
      .object({
        endpoint: z.string().describe('URL of the S3-compatible service'),
        region: z.string().describe('Region of the bucket'),
        bucket_name: z.string().describe('Name of the bucket'),
      })
      .nullable()
      .describe('The bucket; null for other providers'),
    status: z.enum(['active', 'revoked']).describe('`revoked`: connect the account again'),
    error: z.string().nullable().describe('Why it cannot be used; null if it can'),
    created_at: timestamp.describe('When the account was connected'),
    last_used_at: timestamp
      .nullable()
      .describe('When an export last used it; null if none has, and for a bucket'),
  })
  .meta({ id: 'Connection' });

export const connectionList = z
  .object({ items: z.array(connection).describe('Connections, latest first') })
  .meta({ id: 'ConnectionList' });

/** A connection. Its secret is never returned. */
export function presentConnection(row: Connection): z.input<typeof connection> {
  const { id, provider, name, bucket, error, createdAt, lastUsedAt } = row;
  return {
    id,
    provider,
    name,
    bucket: bucket
      ? { endpoint: bucket.endpoint, region: bucket.region, bucket_name: bucket.bucketName }
      : null,
    status: error ? ('revoked' as const) : ('active' as const),
    error: error ?? null,
    created_at: createdAt.toISOString(),
    last_used_at: lastUsedAt?.toISOString() ?? null,
  };
}
