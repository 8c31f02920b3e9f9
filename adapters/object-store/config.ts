import { isIP } from 'node:net';
import { z } from 'zod';

const endpoint = z
  .url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' })
  .refine((url) => new URL(url).pathname === '/', 'must have no path');

/** Settings of the object store. Presigned URLs point to `S3_PUBLIC_ENDPOINT`, which defaults to `S3_ENDPOINT`. */
export const s3Config = z
  .object({
    S3_ENDPOINT: endpoint.describe('the object store'),
    S3_PUBLIC_ENDPOINT: endpoint.optional().meta({
      description: 'the store as clients see it: presigned URLs lead there',
      shownDefault: '`S3_ENDPOINT`',
    }),
    S3_FORCE_PATH_STYLE: z
      .stringbool()
      .default(true)
      .describe('`false` for `https://bucket.host/key`, which newer buckets of AWS require'),
    S3_REGION: z.string().default('us-east-1').describe('region of the bucket'),
    S3_BUCKET: z.string().min(3).max(63).default('darkroom').describe('bucket of originals and variants'),
    S3_ACCESS_KEY_ID: z.string().min(1).describe('access key'),
    S3_SECRET_ACCESS_KEY: z.string().min(1).describe('its secret'),
    S3_SESSION_TOKEN: z
      .string()
      .min(1)
      .optional()
      .describe('token of temporary credentials; presigned URLs end with them'),
    // SeaweedFS does not report that its disk is full.
    S3_DATA_FOLDER: z
      .string()
      .min(1)
      .optional()
      .describe("the store's data, if on this machine: tells a full disk from other failures"),
  })
  .superRefine(({ S3_ENDPOINT, S3_PUBLIC_ENDPOINT = S3_ENDPOINT, S3_FORCE_PATH_STYLE }, context) => {
    const addresses = [S3_ENDPOINT, S3_PUBLIC_ENDPOINT].some((url) => isIP(new URL(url).hostname) !== 0);
    if (S3_FORCE_PATH_STYLE || !addresses) return;
    const message = 'must not be false: an IP address has no host name for a bucket';
    context.addIssue({ code: 'custom', path: ['S3_FORCE_PATH_STYLE'], message });
  });
export type S3Config = z.output<typeof s3Config>;
