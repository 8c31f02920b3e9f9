import type http from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import type { S3Config } from './config.ts';
import { ObjectStoreRefused, ObjectStoreUnavailable } from './object-store.ts';
import { parseListing, type ListedPage } from './parse-listing.ts';
import { createS3Request } from './s3-request.ts';
import { toStoreError } from './s3-response.ts';

/**
 * A failure of a source. Its reason is no `cause`: an error of a store in the chain of causes means an outage of our own
 * (services/shared/outage.ts).
 */
export class SourceFailed extends Error {
  override readonly name = 'SourceFailed';
  /** SourceChanged, SourceKeyInvalid, ObjectNotFound, ObjectStoreRefused or ObjectStoreUnavailable. */
  readonly reason: Error;

  constructor(reason: Error) {
    super(reason.message);
    this.reason = reason;
  }
}

/** The object is no longer the one that was listed. */
export class SourceChanged extends Error {
  override readonly name = 'SourceChanged';
}

/** The key has a segment that a URL cannot have: the request would be for another object. */
export class SourceKeyInvalid extends Error {
  override readonly name = 'SourceKeyInvalid';
}

/** Whether an object can be asked for by its key. */
export function isPathOfUrl(key: string): boolean {
  return !key.split('/').some((segment) => segment === '.' || segment === '..');
}

/** A bucket of somebody else, to read from. Every call ends in bounded time; a body, when its signal fires. */
export interface SourceBucket {
  /**
   * A page of the objects below a prefix, in the order of the store.
   *
   * @throws SourceFailed, the reason of the signal
   */
  list(wanted: WantedPage): Promise<ListedPage>;
  /**
   * The bytes of an object while it has this ETag, as they arrive; its errors are SourceFailed as well. Read or destroy
   * the stream.
   *
   * @throws SourceFailed, the reason of the signal
   */
  open(key: string, etag: string, signal: AbortSignal): Promise<{ content: Readable; sizeBytes?: number }>;
}

interface WantedPage {
  prefix: string;
  limit: number;
  /** Of the page before; undefined for the first page. */
  token?: string | undefined;
  signal: AbortSignal;
}

/** A thousand keys of a kilobyte, escaped, with their other fields. */
const MAX_PAGE_BYTES = 4 * 2 ** 20;

/** @param config with an empty access key id for a public bucket, which is asked without a signature */
export function createSourceBucket(
  config: S3Config,
  { agent, answerWithinMs }: { agent: http.Agent; answerWithinMs: number },
): SourceBucket {
  const request = createS3Request(config, agent, answerWithinMs);

  async function list({ prefix, limit, token, signal }: WantedPage): Promise<ListedPage> {
    const query = {
      'list-type': '2',
      'encoding-type': 'url',
      'max-keys': String(limit),
      prefix,
      ...(token !== undefined && { 'continuation-token': token }),
    };
    const response = await request({ method: 'GET', query, signal });
    if (response.statusCode !== 200) {
      const error = await toStoreError(response, 'LIST', prefix);
      // A listing is of the bucket, and does not miss an object.
      throw error instanceof ObjectStoreUnavailable
        ? error
        : new ObjectStoreRefused('NoSuchBucket', error.message);
    }
    const page = parseListing(await readPage(response, answerWithinMs));
    if (!page) throw new ObjectStoreUnavailable('LIST: the answer is not a listing');
    return page;
  }

  async function open(key: string, etag: string, signal: AbortSignal) {
    if (!isPathOfUrl(key)) throw new SourceKeyInvalid(`${key} is no path of a URL`);
    const response = await request({
      method: 'GET',
      key,
      signal,
      ...(etag !== '' && { headers: { 'if-match': `"${etag}"` } }),
    });
    const given = response.headers.etag?.replaceAll('"', '');
    const unchanged = etag === '' || given === undefined || given === etag;
    // Some stores ignore the condition.
    if (response.statusCode === 412 || (response.statusCode === 200 && !unchanged)) {
      response.destroy();
      throw new SourceChanged(`${key} has another ETag`);
    }
    if (response.statusCode !== 200) throw await toStoreError(response, 'GET', key);
    // Not by `pipeline`: readers see the first error that a stream was destroyed with.
    const content = response.pipe(new PassThrough());
    // Readers learn of a failure from the stream itself.
    for (const stream of [response, content]) stream.on('error', () => undefined);
    response.once('close', () => {
      if (!response.complete) content.destroy(brokenOff(key, response.errored, signal));
    });
    content.once('close', () => response.destroy());
    const { 'content-length': length } = response.headers;
    return { content, ...(length !== undefined && { sizeBytes: Number(length) }) };
  }

  return {
    list: (wanted) => ofSource(list(wanted), wanted.signal),
    open: (key, etag, signal) => ofSource(open(key, etag, signal), signal),
  };
}

async function ofSource<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof Error ? new SourceFailed(error) : error;
  }
}

function brokenOff(key: string, cause: Error | null, signal: AbortSignal): Error {
  if (signal.aborted && signal.reason instanceof Error) return signal.reason;
  return new SourceFailed(new ObjectStoreUnavailable(`GET ${key} broke off`, { cause }));
}

async function readPage(response: http.IncomingMessage, withinMs: number): Promise<string> {
  const timer = setTimeout(() => response.destroy(new Error('the page took too long')), withinMs);
  let text = '';
  try {
    for await (const chunk of response.setEncoding('utf8')) {
      text += chunk;
      if (text.length > MAX_PAGE_BYTES) throw new Error(`the page has more than ${MAX_PAGE_BYTES} bytes`);
    }
    return text;
  } catch (cause) {
    throw new ObjectStoreUnavailable(`LIST: ${String(cause)}`, { cause });
  } finally {
    clearTimeout(timer);
  }
}
