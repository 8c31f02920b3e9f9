import { setImmediate as others } from 'node:timers/promises';
import type { S3Config } from './config.ts';
import type { ObjectStore } from './object-store.ts';
import { createPresign } from './presign.ts';

/** Ten thousand URLs take a second or two: other requests get their turn in between. */
const AT_ONCE = 200;

/** Signs uploads of parts. Their sizes are signed, so nobody can fill the store with larger ones. */
export function createPresignParts(config: S3Config): ObjectStore['presignParts'] {
  const presign = createPresign(config);
  return async ({ key, uploadId }, parts, { expiresInSeconds }) => {
    const urls: string[] = [];
    for (let from = 0; from < parts.length; from += AT_ONCE) {
      const signed = parts.slice(from, from + AT_ONCE).map(({ number, sizeBytes }) =>
        presign({
          method: 'PUT',
          key,
          query: { partNumber: String(number), uploadId },
          headers: { 'Content-Length': String(sizeBytes) },
          expiresInSeconds,
        }),
      );
      urls.push(...(await Promise.all(signed)));
      await others();
    }
    return urls;
  };
}
