import type { IncomingMessage } from 'node:http';
import { ObjectNotFound, ObjectStoreFull, ObjectStoreUnavailable } from './errors.ts';

const INSUFFICIENT_STORAGE = 507;
/** Of MinIO, and of stores with quotas. */
const FULL_CODES = new Set(['XMinioStorageFull', 'QuotaExceeded']);
/** An S3 document about one object is a few hundred bytes. */
const MAX_DOCUMENT_BYTES = 64 * 1024;

/** Reads the rest of the body, so that the connection can be reused. */
export async function discardBody(response: IncomingMessage): Promise<undefined> {
  try {
    for await (const _ of response);
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
  const code = await readErrorCode(response);
  if (response.statusCode === 404 && code !== 'NoSuchBucket' && code !== 'NoSuchUpload')
    return new ObjectNotFound(wanted);
  const message = `${method} ${key}: status ${response.statusCode} ${code}`.trimEnd();
  const isFull = response.statusCode === INSUFFICIENT_STORAGE || FULL_CODES.has(code);
  return isFull ? new ObjectStoreFull(message) : new ObjectStoreUnavailable(message);
}

/** The code of an error document, or '' if the body is not one. */
export async function readErrorCode(response: IncomingMessage): Promise<string> {
  return codeIn(await readDocument(response));
}

export function codeIn(document: string): string {
  return /<Code>([^<]+)<\/Code>/.exec(document)?.[1] ?? '';
}

/** The body of a response that is a short XML document. */
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
