import { createHash, createHmac } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { cleanFilename } from '../../domain/text.ts';
import type { S3Config } from './config.ts';
import type { ObjectStore } from './object-store.ts';
import { publicS3Url, signingIdentity } from './s3-request.ts';

interface PresignRequest {
  method: 'PUT';
  key: string;
  query?: Record<string, string>;
  /** All are signed: clients must send the same values. */
  headers?: Record<string, string>;
  expiresInSeconds: number;
  signedAt?: Date | undefined;
}

/** Creates a signer of URLs for the public endpoint. */
function createPresign(config: S3Config): (request: PresignRequest) => Promise<string> {
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
function signingTime(time: Date): string {
  return time.toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
}

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

/**
 * A Content-Disposition value (RFC 6266) for any file name: an ASCII form for old clients, and the true name in
 * RFC 5987 form where the two differ. No name can end the header or begin another parameter.
 */
function contentDisposition(type: 'attachment' | 'inline', filename?: string): string {
  if (filename === undefined) return type;
  // A lone surrogate has no UTF-8 form.
  const name = cleanFilename(filename).toWellFormed();
  // Quotes and backslashes would need escapes, which clients interpret differently; some decode %XX even here.
  const ascii = name.replaceAll(/[^\u0020-\u007E]|["\\%]/g, '_');
  const plain = `${type}; filename="${ascii}"`;
  return ascii === name ? plain : `${plain}; filename*=UTF-8''${encodeRfc5987(name)}`;
}

/** encodeURIComponent leaves four characters that RFC 5987 does not allow. */
function encodeRfc5987(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

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

const SIGNED = 'content-length;host';
/** Yields to other requests after a few milliseconds of work. */
const BATCH_SIZE = 500;

/**
 * Signs uploads of parts with AWS Signature Version 4. Their sizes are signed, so no client can fill the store with
 * larger ones. Hand-written because an upload may have ten thousand parts: the general signer blocks the event loop for
 * half a millisecond each, this one needs one key and two hashes each. The store's contract suite tests the URLs on a
 * real store.
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
