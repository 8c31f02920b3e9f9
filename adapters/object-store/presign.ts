import { AwsV4Signer } from 'aws4fetch';
import type { S3Config } from './config.ts';
import { publicS3Url } from './s3-url.ts';
import { signingIdentity } from './signing-identity.ts';

export interface PresignRequest {
  method: 'PUT';
  key: string;
  query?: Record<string, string>;
  /** All of them are signed: users of the URL must send the same values. */
  headers?: Record<string, string>;
  expiresInSeconds: number;
  signedAt?: Date | undefined;
}

/** Creates a signer of URLs for the public endpoint. */
export function createPresign(config: S3Config): (request: PresignRequest) => Promise<string> {
  const cache = new Map<string, ArrayBuffer>();
  return async ({ method, key, query, headers, expiresInSeconds, signedAt = new Date() }) => {
    const url = publicS3Url(config, key, {
      'X-Amz-Expires': String(expiresInSeconds),
      ...query,
    });
    const signed = await new AwsV4Signer({
      method,
      url: url.href,
      ...(headers && { headers }),
      ...signingIdentity(config),
      datetime: signingTime(signedAt),
      signQuery: true,
      allHeaders: true,
      cache,
    }).sign();
    // Not every server and proxy reads + in a query as the space that was signed.
    signed.url.search = signed.url.search.replaceAll('+', '%20');
    return signed.url.href;
  };
}

/** A time as AWS Signature Version 4 writes it. */
export function signingTime(time: Date): string {
  return time.toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
}
