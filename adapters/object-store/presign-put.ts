import type { S3Config } from './config.ts';
import type { ObjectStore } from './object-store.ts';
import { createPresign } from './presign.ts';

/** Signs uploads of one whole object of known size and type, usually with its SHA-256. */
export function createPresignPut(config: S3Config): ObjectStore['presignPut'] {
  const presign = createPresign(config);
  return async (key, { contentType, sizeBytes, sha256, expiresInSeconds, signedAt }) => {
    const headers = {
      'Content-Type': contentType,
      ...(sha256 !== undefined && {
        'x-amz-checksum-sha256': Buffer.from(sha256, 'hex').toString('base64'),
        'x-amz-sdk-checksum-algorithm': 'SHA256',
      }),
    };
    const url = await presign({
      method: 'PUT',
      key,
      headers: { ...headers, 'Content-Length': String(sizeBytes) },
      expiresInSeconds,
      signedAt,
    });
    return { url, headers };
  };
}
