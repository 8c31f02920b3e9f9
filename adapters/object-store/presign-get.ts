import { AwsV4Signer } from 'aws4fetch';
import type { S3Config } from './config.ts';
import { contentDisposition } from './content-disposition.ts';
import type { ObjectStore } from './object-store.ts';
import { s3Url } from './s3-url.ts';

/** Signs download URLs for the public endpoint. */
export function createPresignGet(config: S3Config): ObjectStore['presignGet'] {
  return async (key, { expiresInSeconds, filename, disposition = 'attachment', contentType }) => {
    const url = s3Url(config.S3_PUBLIC_ENDPOINT ?? config.S3_ENDPOINT, config.S3_BUCKET, key, {
      'X-Amz-Expires': String(expiresInSeconds),
      'response-content-disposition': contentDisposition(disposition, filename),
      ...(contentType !== undefined && { 'response-content-type': contentType }),
    });
    const signed = await new AwsV4Signer({
      method: 'GET',
      url: url.href,
      accessKeyId: config.S3_ACCESS_KEY_ID,
      secretAccessKey: config.S3_SECRET_ACCESS_KEY,
      region: config.S3_REGION,
      service: 's3',
      signQuery: true,
    }).sign();
    // Not every server and proxy reads + in a query as the space that was signed.
    signed.url.search = signed.url.search.replaceAll('+', '%20');
    return signed.url.href;
  };
}
