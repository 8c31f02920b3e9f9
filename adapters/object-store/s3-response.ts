import type { IncomingMessage } from 'node:http';
import {
  ObjectNotFound,
  ObjectStoreFull,
  ObjectStoreRefused,
  ObjectStoreUnavailable,
} from './object-store.ts';

const INSUFFICIENT_STORAGE = 507;
/** Codes of MinIO, and of stores with quotas. */
const FULL_CODES = new Set(['XMinioStorageFull', 'QuotaExceeded']);
/** Codes of a store that rejects the credentials, their permissions, or the bucket. */
const REFUSED_CODES = new Set([
  'AccessDenied',
  'AccountProblem',
  'AllAccessDisabled',
  'AuthorizationHeaderMalformed',
  'ExpiredToken',
  'InvalidAccessKeyId',
  'InvalidBucketName',
  'InvalidToken',
  'NoSuchBucket',
  'PermanentRedirect',
  'SignatureDoesNotMatch',
]);
/** Codes for statuses of answers without a body, such as those to HEAD. */
const CODE_OF_STATUS: Readonly<Record<number, string>> = {
  301: 'PermanentRedirect',
  307: 'PermanentRedirect',
  308: 'PermanentRedirect',
  401: 'AccessDenied',
  403: 'AccessDenied',
};
/** An S3 document about one object is a few hundred bytes. */
const MAX_DOCUMENT_BYTES = 64 * 1024;

/** Reads the rest of a short body, so that the connection can be reused. */
export async function discardBody(response: IncomingMessage): Promise<undefined> {
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      // Leaving the loop closes the connection.
      if (size > MAX_DOCUMENT_BYTES) break;
    }
  } catch (cause) {
    throw new ObjectStoreUnavailable('the answer broke off', { cause });
  }
}

/** Maps an unexpected response to an error. */
export async function toStoreError(
  response: IncomingMessage,
  method: string,
  key: string,
  /** The key that a 404 refers to, if not the one requested. */
  wanted = key,
): Promise<ObjectNotFound | ObjectStoreUnavailable> {
  const { statusCode = 0 } = response;
  const code = (await readErrorCode(response)) || (CODE_OF_STATUS[statusCode] ?? '');
  if (statusCode === 404 && code !== 'NoSuchBucket' && code !== 'NoSuchUpload')
    return new ObjectNotFound(wanted);
  const message = `${method} ${key}: status ${statusCode} ${code}`.trimEnd();
  return statusCode === INSUFFICIENT_STORAGE ? new ObjectStoreFull(message) : storeError(code, message);
}

/** The error for a code of S3 or Node; '' for no code. */
export function storeError(code: string, message: string, options?: ErrorOptions): ObjectStoreUnavailable {
  if (FULL_CODES.has(code)) return new ObjectStoreFull(message, options);
  if (REFUSED_CODES.has(code)) return new ObjectStoreRefused(code, message, options);
  return new ObjectStoreUnavailable(message, options);
}

/** The code of an error document, or '' if the body is not one. */
export async function readErrorCode(response: IncomingMessage): Promise<string> {
  return codeIn(await readDocument(response));
}

export function codeIn(document: string): string {
  return /<Code>([^<]+)<\/Code>/.exec(document)?.[1] ?? '';
}

/** Reads the body of a response as a short XML document. */
export async function readDocument(response: IncomingMessage): Promise<string> {
  let text = '';
  try {
    for await (const chunk of response.setEncoding('utf8')) {
      text += chunk;
      if (text.length > MAX_DOCUMENT_BYTES) break;
    }
  } catch (cause) {
    throw new ObjectStoreUnavailable('the answer broke off', { cause });
  }
  return text;
}
