import { AwsV4Signer } from 'aws4fetch';
import type { S3Config } from './config.ts';
import { contentDisposition } from './content-disposition.ts';
import type { ObjectStore } from './object-store.ts';
import { publicS3Url } from './s3-url.ts';
import { signingIdentity } from './signing-identity.ts';

/** Signs download URLs for the public endpoint. */
export function createPresignGet(config: S3Config): ObjectStore['presignGet'] {
  return async (key, { expiresInSeconds, filename, disposition = 'attachment', contentType }) => {
    const url = publicS3Url(config, key, {
      'X-Amz-Expires': String(expiresInSeconds),
      'response-content-disposition': contentDisposition(disposition, filename),
      ...(contentType !== undefined && { 'response-content-type': contentType }),
    });
    const signed = await new AwsV4Signer({
      method: 'GET',
      url: url.href,
      ...signingIdentity(config),
      signQuery: true,
    }).sign();
    // Not every server and proxy reads + in a query as the space that was signed.
    signed.url.search = signed.url.search.replaceAll('+', '%20');
    return signed.url.href;
  };
}
