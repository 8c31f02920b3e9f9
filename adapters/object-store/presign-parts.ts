import { createHash, createHmac } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { S3Config } from './config.ts';
import type { ObjectStore } from './object-store.ts';
import { signingTime } from './presign.ts';
import { publicS3Url } from './s3-url.ts';

const SIGNED = 'content-length;host';
/** A few milliseconds of work, then other requests get a turn. */
const BATCH_SIZE = 500;

/**
 * Signs uploads of parts with AWS Signature Version 4. Their sizes are signed, so no client can fill the store with
 * larger ones. Hand-written because an upload may have ten thousand parts: the general signer blocks the event loop for
 * half a millisecond for each, this one signs them with one key and two hashes each. The store's contract suite tests
 * the URLs on a real store.
 */
export function createPresignParts(config: S3Config): ObjectStore['presignParts'] {
  return async ({ key, uploadId }, parts, { expiresInSeconds, signedAt = new Date() }) => {
    const url = publicS3Url(config, key);
    const time = signingTime(signedAt);
    const { S3_SESSION_TOKEN: sessionToken } = config;
    const scope = `${time.slice(0, 8)}/${config.S3_REGION}/s3/aws4_request`;
    const signingKey = scope
      .split('/')
      .reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${config.S3_SECRET_ACCESS_KEY}`);
    const query = (number: number) =>
      [
        ['X-Amz-Algorithm', 'AWS4-HMAC-SHA256'],
        ['X-Amz-Credential', `${config.S3_ACCESS_KEY_ID}/${scope}`],
        ['X-Amz-Date', time],
        ['X-Amz-Expires', String(expiresInSeconds)],
        ...(sessionToken === undefined ? [] : [['X-Amz-Security-Token', sessionToken]]),
        ['X-Amz-SignedHeaders', SIGNED],
        ['partNumber', String(number)],
        ['uploadId', uploadId],
      ]
        .map(([name = '', value = '']) => `${name}=${encodeURIComponent(value)}`)
        .join('&');

    const urls: string[] = [];
    for (const { number, sizeBytes } of parts) {
      const search = query(number);
      const headers = `content-length:${sizeBytes}\nhost:${url.host}\n`;
      const request = `PUT\n${url.pathname}\n${search}\n${headers}\n${SIGNED}\nUNSIGNED-PAYLOAD`;
      const digest = createHash('sha256').update(request).digest('hex');
      const signature = hmac(signingKey, `AWS4-HMAC-SHA256\n${time}\n${scope}\n${digest}`).toString('hex');
      urls.push(`${url.origin}${url.pathname}?${search}&X-Amz-Signature=${signature}`);
      if (urls.length % BATCH_SIZE === 0) await yieldToEventLoop();
    }
    return urls;
  };
}

function hmac(secret: string | Buffer, text: string): Buffer {
  return createHmac('sha256', secret).update(text).digest();
}
