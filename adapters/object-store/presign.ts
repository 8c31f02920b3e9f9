import { createHmac, hash } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { cleanFilename } from '../../domain/text.ts';
import type { S3Config } from './config.ts';
import type { ObjectStore } from './object-store.ts';
import { escapeReserved, publicS3Url } from './s3-request.ts';

interface PresignRequest {
  method: 'GET' | 'PUT';
  /** In the order of their names, all of which begin with a lower-case letter. */
  query?: Record<string, string>;
  /** All are signed: clients must send the same values. Their names are in lower case. */
  headers?: Record<string, string>;
  expiresInSeconds: number;
  signedAt?: Date | undefined;
}

/** What the URLs of one day have in common. */
interface Day {
  date: string;
  scope: string;
  key: string | Buffer;
  credential: string;
}

/**
 * Creates a signer of URLs for the public endpoint, with AWS Signature Version 4. Hand-written because a page of a list
 * has a hundred URLs and an upload may have ten thousand parts: the general signer imports keys and hashes in other
 * threads, which blocks the event loop ten times as long as two hashes with the key of the day.
 *
 * @returns a function that returns the signer of one object's URLs
 */
function createPresign(config: S3Config): (objectKey: string) => (request: PresignRequest) => string {
  let today: Day | undefined;

  function dayOf(date: string): Day {
    if (today?.date === date) return today;
    const scope = `${date}/${config.S3_REGION}/s3/aws4_request`;
    const secret = `AWS4${config.S3_SECRET_ACCESS_KEY}`;
    const key = scope.split('/').reduce<string | Buffer>((derived, part) => hmac(derived, part), secret);
    const credential = escapeReserved(`${config.S3_ACCESS_KEY_ID}/${scope}`);
    return (today = { date, scope, key, credential });
  }

  const token = config.S3_SESSION_TOKEN;
  const tokenParameter = token === undefined ? '' : `&X-Amz-Security-Token=${escapeReserved(token)}`;
  return (objectKey) => {
    const { origin, host, pathname } = publicS3Url(config, objectKey);
    return ({ method, query = {}, headers = {}, expiresInSeconds, signedAt = new Date() }) => {
      const time = signedAt.toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
      const { scope, key, credential } = dayOf(time.slice(0, 8));
      const signed: Record<string, string> = { ...headers, host };
      const names = Object.keys(signed).toSorted();
      let search = `X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${credential}&X-Amz-Date=${time}&X-Amz-Expires=${expiresInSeconds}${tokenParameter}&X-Amz-SignedHeaders=${names.join('%3B')}`;
      for (const [name, value] of Object.entries(query)) search += `&${name}=${escapeReserved(value)}`;
      const lines = names.map((name) => `${name}:${signed[name]}\n`).join('');
      const request = `${method}\n${pathname}\n${search}\n${lines}\n${names.join(';')}\nUNSIGNED-PAYLOAD`;
      const signature = hmac(key, `AWS4-HMAC-SHA256\n${time}\n${scope}\n${hash('sha256', request)}`);
      return `${origin}${pathname}?${search}&X-Amz-Signature=${signature.toString('hex')}`;
    };
  };
}

function hmac(secret: string | Buffer, text: string): Buffer {
  return createHmac('sha256', secret).update(text).digest();
}

/** Signs download URLs for the public endpoint. */
export function createPresignGet(config: S3Config): ObjectStore['presignGet'] {
  const presign = createPresign(config);
  return async (key, { expiresInSeconds, filename, disposition = 'attachment', contentType }) =>
    presign(key)({
      method: 'GET',
      query: {
        'response-content-disposition': contentDisposition(disposition, filename),
        ...(contentType !== undefined && { 'response-content-type': contentType }),
      },
      expiresInSeconds,
    });
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
    const checksum = {
      ...(sha256 !== undefined && {
        'x-amz-checksum-sha256': Buffer.from(sha256, 'hex').toString('base64'),
        'x-amz-sdk-checksum-algorithm': 'SHA256',
      }),
    };
    const url = presign(key)({
      method: 'PUT',
      headers: { 'content-length': String(sizeBytes), 'content-type': contentType, ...checksum },
      expiresInSeconds,
      signedAt,
    });
    return { url, headers: { 'Content-Type': contentType, ...checksum } };
  };
}

/** Yields to other requests after a few milliseconds of work. */
const BATCH_SIZE = 500;

/** Signs uploads of parts. Their sizes are signed, so no client can fill the store with larger ones. */
export function createPresignParts(config: S3Config): ObjectStore['presignParts'] {
  const presign = createPresign(config);
  return async ({ key, uploadId }, parts, { expiresInSeconds, signedAt = new Date() }) => {
    const presignPart = presign(key);
    const urls: string[] = [];
    for (const { number, sizeBytes } of parts) {
      const url = presignPart({
        method: 'PUT',
        query: { partNumber: String(number), uploadId },
        headers: { 'content-length': String(sizeBytes) },
        expiresInSeconds,
        signedAt,
      });
      urls.push(url);
      if (urls.length % BATCH_SIZE === 0) await yieldToEventLoop();
    }
    return urls;
  };
}
