import http from 'node:http';
import https from 'node:https';
import { pipeline, Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { retryAfterSeconds } from '../../domain/retry-after.ts';
import { AddressRefused } from '../outbound/address-guard.ts';
import { createGuardedAgent } from '../outbound/guarded-agent.ts';
import { unreachableReason } from '../outbound/unreachable-reason.ts';
import type { WebFetchConfig } from './config.ts';
import { WebFetchError } from './web-fetch-error.ts';
import { USER_AGENT } from '../../domain/links/user-agent.ts';
import { parseWebUrl } from './web-url.ts';

/** How to ask for a URL. */
export interface WebRequest {
  /** Limit of the decompressed content. */
  maxBytes: number;
  signal: AbortSignal;
  /** `Accept` header; images by default. */
  accept?: string;
  /** Conditional headers for a URL; called per URL, so that they are not sent to other redirect targets. */
  conditions?: (url: URL) => Readonly<Record<string, string>> | undefined;
  /**
   * Called before each request, including redirects. Its error ends the fetch unchanged; its time does not
   * count against the time limit.
   */
  admit?(url: URL): Promise<void>;
}

/** A successful answer: 200 or 304. */
export interface WebAnswer {
  /** After all redirects. */
  url: URL;
  status: number;
  headers: http.IncomingHttpHeaders;
  /** Must be read or destroyed; may also fail with a WebFetchError. */
  content: Readable;
}

export interface WebFetch {
  /**
   * Fetches an untrusted URL. Only http and https; no connection to an address that the guard refuses, in any
   * spelling and through any redirect; at most five redirects; no cookies, no credentials, no referrer.
   *
   * @throws WebFetchError; the reason of the signal
   */
  request(url: string, request: WebRequest): Promise<WebAnswer>;
  /** The content alone. @throws as request */
  open(url: string, request: WebRequest): Promise<Readable>;
}

const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Error statuses that may be temporary. */
const RETRYABLE_STATUSES = new Set([408, 425, 429]);
const IMAGES = 'image/*';
const NOT_MODIFIED = 304;
const IDENTITY = 'identity';
const OWN_HEADERS = { 'Accept-Encoding': IDENTITY, 'User-Agent': USER_AGENT.header } as const;
/** Encodings that are not requested, but that some servers send anyway. */
const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Fetches URLs named by clients. Connections are not reused, so each goes to an address checked just before. */
export function createWebFetch({
  WEB_FETCH_ALLOWED_NETWORKS: guard,
  WEB_FETCH_SECONDS: seconds,
}: WebFetchConfig): WebFetch {
  const agents = {
    'http:': createGuardedAgent(false, guard, { keepAlive: false }),
    'https:': createGuardedAgent(true, guard, { keepAlive: false }),
  };

  function get(url: URL, { accept = IMAGES, conditions, signal }: WebRequest): Promise<http.IncomingMessage> {
    const secure = url.protocol === 'https:';
    const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
    const agent = agents[secure ? 'https:' : 'http:'];
    (secure ? https : http)
      .get(url, { agent, headers: { ...conditions?.(url), ...OWN_HEADERS, Accept: accept }, signal }, resolve)
      .on('error', reject)
      // Closed without an error, for example after 101: nothing else would settle the fetch.
      .on('close', () => reject(new Error('the connection was closed without an answer')));
    return promise;
  }

  async function follow(
    text: string,
    request: WebRequest,
    clock: Clock,
  ): Promise<{ url: URL; response: http.IncomingMessage }> {
    let url = parseWebUrl(text);
    for (let redirects = 0; ; redirects += 1) {
      await admit(request, url);
      clock.start();
      const response = await get(url, request);
      const { statusCode = 0, headers } = response;
      const unchanged = statusCode === NOT_MODIFIED && request.conditions?.(url) !== undefined;
      if (statusCode === 200 || unchanged) return { url, response };
      response.destroy();
      clock.pause();
      if (!REDIRECTS.has(statusCode) || headers.location === undefined) throw answered(statusCode, headers);
      if (redirects === MAX_REDIRECTS) {
        throw new WebFetchError(
          'URL_TOO_MANY_REDIRECTS',
          `the URL redirects more than ${MAX_REDIRECTS} times`,
        );
      }
      url = parseWebUrl(headers.location, url);
    }
  }

  async function request(text: string, given: WebRequest): Promise<WebAnswer> {
    const { maxBytes, signal } = given;
    const clock = createClock(seconds * 1000);
    const timeout = clock.signal;
    const either = AbortSignal.any([signal, timeout]);
    const explain = (error: unknown) => explained(error, { timeout, seconds, signal });
    try {
      const { url, response } = await follow(text, { ...given, signal: either }, clock);
      const { statusCode: status = 0, headers } = response;
      return { url, status, headers, content: contentOf(response, maxBytes, explain) };
    } catch (error) {
      throw explain(error);
    }
  }

  return { request, open: async (url, given) => (await request(url, given)).content };
}

/** A pausable timer that aborts its signal after a total running time. It does not keep the process alive. */
interface Clock {
  signal: AbortSignal;
  start(): void;
  pause(): void;
}

function createClock(ms: number): Clock {
  const controller = new AbortController();
  let left = ms;
  let startedAt = 0;
  let timer: NodeJS.Timeout | undefined;
  return {
    signal: controller.signal,
    start() {
      startedAt = performance.now();
      timer = setTimeout(() => controller.abort(), left).unref();
    },
    pause() {
      clearTimeout(timer);
      left = Math.max(0, left - (performance.now() - startedAt));
    },
  };
}

/** Wraps an error of `admit`. */
class NotAdmitted {
  readonly reason: unknown;

  constructor(reason: unknown) {
    this.reason = reason;
  }
}

async function admit(request: WebRequest, url: URL): Promise<void> {
  try {
    await request.admit?.(url);
  } catch (error) {
    throw new NotAdmitted(error);
  }
}

/** The content of a response: decompressed and counted, with errors that are safe to show. */
function contentOf(
  response: http.IncomingMessage,
  maxBytes: number,
  explain: (error: unknown) => unknown,
): Readable {
  const encoding = (response.headers['content-encoding'] ?? IDENTITY).trim().toLowerCase();
  const decoder = DECODERS[encoding]?.();
  const refusal = refuse(response, { encoding, known: decoder !== undefined, maxBytes });
  if (refusal) {
    response.destroy();
    throw refusal;
  }
  // The stream keeps an error that occurs before reading starts.
  const source = (decoder ? pipeline(response, decoder, () => undefined) : response).on(
    'error',
    () => undefined,
  );

  async function* counted(): AsyncGenerator<Buffer> {
    let read = 0;
    try {
      for await (const chunk of source as AsyncIterable<Buffer>) {
        read += chunk.length;
        if (read > maxBytes) throw tooLarge(maxBytes);
        yield chunk;
      }
    } catch (error) {
      throw explain(error);
    }
  }
  // Closes the connection when the content is no longer wanted.
  return Readable.from(counted(), { objectMode: false })
    .on('error', () => undefined)
    .once('close', () => response.destroy());
}

function refuse(
  { headers }: http.IncomingMessage,
  { encoding, known, maxBytes }: { encoding: string; known: boolean; maxBytes: number },
): WebFetchError | undefined {
  if (encoding !== IDENTITY && !known) {
    return new WebFetchError('URL_ENCODING_UNKNOWN', 'the site compresses its answer in an unknown way');
  }
  const declared = Number(headers['content-length'] ?? 0);
  return !known && declared > maxBytes ? tooLarge(maxBytes) : undefined;
}

function answered(status: number, headers: http.IncomingHttpHeaders): WebFetchError {
  return new WebFetchError('URL_ANSWERED_ERROR', `the site answered ${status}`, {
    retryable: status >= 500 || RETRYABLE_STATUSES.has(status),
    status,
    retryAfterSeconds: retryAfterSeconds(headers['retry-after']),
  });
}

function tooLarge(maxBytes: number): WebFetchError {
  const limit = `${Math.floor(maxBytes / 1024 / 1024)} MB`;
  return new WebFetchError('URL_TOO_LARGE', `the content of the URL has more than ${limit}`);
}

function explained(
  error: unknown,
  { timeout, seconds, signal }: { timeout: AbortSignal; seconds: number; signal: AbortSignal },
): unknown {
  if (error instanceof WebFetchError) return error;
  if (error instanceof NotAdmitted) return error.reason;
  if (signal.aborted) return signal.reason;
  if (timeout.aborted) {
    return new WebFetchError(
      'URL_TIMED_OUT',
      `the site did not answer completely within ${seconds} seconds`,
      {
        retryable: true,
        cause: error,
      },
    );
  }
  if (error instanceof AddressRefused) {
    return new WebFetchError('URL_ADDRESS_REFUSED', 'the URL leads to an address that is not public', {
      cause: error,
    });
  }
  return new WebFetchError('URL_UNREACHABLE', `the site cannot be reached${because(error)}`, {
    retryable: true,
    cause: error,
  });
}

function because(error: unknown): string {
  const code = (error as NodeJS.ErrnoException | null)?.code ?? '';
  const isCorrupt = code.startsWith('Z_') || code.startsWith('ERR_Z');
  return isCorrupt ? ': its answer is corrupt' : unreachableReason(error);
}
