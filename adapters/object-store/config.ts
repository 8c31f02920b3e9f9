import { z } from 'zod';

/** Where objects live. `S3_PUBLIC_ENDPOINT` is what clients see in presigned URLs. */
export const s3Config = z.object({
  S3_ENDPOINT: z.url(),
  S3_PUBLIC_ENDPOINT: z.url().optional(),
  S3_REGION: z.string().default('us-east-1'),
  S3_BUCKET: z.string().min(3).default('darkroom'),
  S3_ACCESS_KEY_ID: z.string().min(1),
  S3_SECRET_ACCESS_KEY: z.string().min(1),
});
export type S3Config = z.output<typeof s3Config>;
