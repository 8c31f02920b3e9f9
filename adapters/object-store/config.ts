import { isIP } from 'node:net';
import { z } from 'zod';

const endpoint = z
  .url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' })
  .refine((url) => new URL(url).pathname === '/', 'must have no path');

/** Settings of the object store. Presigned URLs point to `S3_PUBLIC_ENDPOINT`, which defaults to `S3_ENDPOINT`. */
export const s3Config = z
  .object({
    S3_ENDPOINT: endpoint,
    S3_PUBLIC_ENDPOINT: endpoint.optional(),
    /** `https://host/bucket/key`; otherwise `https://bucket.host/key`, which newer buckets of AWS require. */
    S3_FORCE_PATH_STYLE: z.stringbool().default(true),
    S3_REGION: z.string().default('us-east-1'),
    S3_BUCKET: z.string().min(3).max(63).default('darkroom'),
    S3_ACCESS_KEY_ID: z.string().min(1),
    S3_SECRET_ACCESS_KEY: z.string().min(1),
    /** Belongs to temporary credentials. Presigned URLs end with them, even if they promise to last longer. */
    S3_SESSION_TOKEN: z.string().min(1).optional(),
    /** Where the store keeps its data, if on this machine: SeaweedFS does not say that its disk is full. */
    S3_DATA_FOLDER: z.string().min(1).optional(),
  })
  .superRefine(({ S3_ENDPOINT, S3_PUBLIC_ENDPOINT = S3_ENDPOINT, S3_FORCE_PATH_STYLE }, context) => {
    const addresses = [S3_ENDPOINT, S3_PUBLIC_ENDPOINT].some((url) => isIP(new URL(url).hostname) !== 0);
    if (S3_FORCE_PATH_STYLE || !addresses) return;
    const message = 'must not be false: an IP address has no host name for a bucket';
    context.addIssue({ code: 'custom', path: ['S3_FORCE_PATH_STYLE'], message });
  });
export type S3Config = z.output<typeof s3Config>;
