import type { S3Config } from './config.ts';

/** Who signs a request, and for what, in the words of `AwsV4Signer`. */
export function signingIdentity(config: S3Config) {
  const { S3_SESSION_TOKEN: sessionToken } = config;
  return {
    accessKeyId: config.S3_ACCESS_KEY_ID,
    secretAccessKey: config.S3_SECRET_ACCESS_KEY,
    ...(sessionToken !== undefined && { sessionToken }),
    region: config.S3_REGION,
    service: 's3',
  };
}
