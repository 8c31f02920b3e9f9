import { ApiError, ConnectionError, DarkroomError, errorOf, reasonOf } from './errors.ts';

export interface TransportOptions {
  /** URL of the API, such as `https://darkroom.example.com/api/v2`; a path suffices on pages of the same origin. */
  baseUrl: string;
  /** An API key. Without one, requests are anonymous, or use the session cookie of a browser on the same origin. */
  apiKey?: string;
  /** Replaces the global `fetch`. */
  fetch?: (request: Request, init?: RequestInit) => Promise<Response>;
  /** Aborts every request and every pause. */
  signal?: AbortSignal | undefined;
  /** Maximum number of retries of a request that may succeed later; 4 by default. */
  retries?: number;
  /**
   * Maximum time for retries after the first failure, and the longest accepted `Retry-After`; two minutes by default.
   */
  patienceMs?: number;
  /** Timeout for the response to one attempt; 90 seconds by default. Does not limit the download of non-JSON bodies. */
  timeoutMs?: number;
  /** Called before each pause with the error. */
  onRetry?: ((error: ApiError | ConnectionError, pauseMs: number) => void) | undefined;
}

/** Options for sending one request; they override those of the client. */
export interface SendOptions {
  /** Aborts the request and its pauses; its reason is thrown. */
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
  retries?: number | undefined;
  /** Called before each pause, instead of the client's `onRetry`. */
  onRetry?: TransportOptions['onRetry'];
}

const DEFAULTS = { retries: 4, patienceMs: 120_000, timeoutMs: 90_000 };
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** A longer timer would fire immediately. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** Temporary error statuses of the API or of a proxy. */
const TEMPORARY = [408, 429, 502, 503, 504];

/**
 * Exponential backoff with jitter in its upper half, so that clients do not retry in lockstep.
 *
 * @param failures consecutive failures, from 1
 * @param askedMs  minimum requested by the server
 * @param chance   source of the jitter, from 0 to 1
 */
export function pauseMs(failures: number, askedMs = 0, chance: number = Math.random()): number {
  const ceiling = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 20));
  const own = ceiling / 2 + (ceiling / 2) * chance;
  return askedMs > 0 ? askedMs + Math.min(own, 1000) * chance : own;
}

/**
 * Whether the same request may succeed later.
 *
 * @param repeatable whether to retry although the request may have taken effect
 */
export function isRetryable(error: unknown, repeatable = true): boolean {
  if (error instanceof ConnectionError) return repeatable;
  if (!(error instanceof ApiError)) return false;
  // Credits are renewed only next month.
  if (error.code === 'QUOTA_EXHAUSTED') return false;
  // The first request with this Idempotency-Key is still in progress.
  if (error.code === 'REQUEST_IN_FLIGHT') return true;
  return error.status === 429 || (repeatable && TEMPORARY.includes(error.status));
}

/** Resolves after a pause, or throws the reason of the signal. */
export async function delay(milliseconds: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** Sends all requests of the client, with the key, a timeout and retries. */
export class Transport {
  readonly baseUrl: string;
  readonly #options: TransportOptions & typeof DEFAULTS;
  #holdUntil = 0;

  /** @throws TypeError for a key with characters that are invalid in a header, or for an invalid URL */
  constructor(options: TransportOptions) {
    const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
    this.#options = { ...DEFAULTS, ...(given as unknown as TransportOptions) };
    const page = (globalThis as { location?: { href: string } }).location?.href;
    this.baseUrl = new URL(options.baseUrl, page).href.replace(/\/+$/, '');
    this.#headers();
  }

  get timeoutMs(): number {
    return this.#options.timeoutMs;
  }

  get patienceMs(): number {
    return this.#options.patienceMs;
  }

  /** A request to a path of the API, or to another server, without the key. A stream as body can be sent only once. */
  request(
    method: string,
    path: string,
    init: {
      body?: NonNullable<RequestInit['body']>;
      headers?: Record<string, string>;
      signal?: AbortSignal;
    } = {},
  ): Request {
    return new Request(path.startsWith('/') ? `${this.baseUrl}${path}` : path, {
      method,
      ...init,
      // Required by Node for bodies that are streams.
      ...(init.body instanceof ReadableStream && { duplex: 'half' }),
    });
  }

  /**
   * Sends a request, with retries for errors that may be temporary.
   *
   * @param make       creates the request of each attempt, counted from 0; its own signal aborts only that attempt
   * @param repeatable whether to retry although the request may have taken effect; a function decides on each error
   * @returns a successful response; a JSON body is read completely, other bodies are unread
   * @throws ApiError, ConnectionError, the reason of the signal, and errors of `make`
   */
  async send(
    make: (attempt: number) => Request | Promise<Request>,
    {
      signal: own,
      timeoutMs,
      retries,
      onRetry,
      repeatable,
    }: SendOptions & { repeatable: boolean | Retryable },
  ): Promise<Response> {
    const { patienceMs, onRetry: usualNote, retries: usual, timeoutMs: usualTimeout } = this.#options;
    const note = onRetry ?? usualNote;
    const signal = anyOf(this.#options.signal, own);
    const mayRepeat = typeof repeatable === 'function' ? repeatable : asUsual(repeatable);
    const most = retries ?? usual;
    let since: number | undefined;
    for (let [failures, counted] = [0, 0]; ;) {
      const hold = this.#holdUntil - Date.now();
      if (hold > 0) await delay(hold, signal);
      const request = await make(failures);
      try {
        return await this.#attempt(request, timeoutMs ?? usualTimeout, signal);
      } catch (error) {
        since ??= Date.now();
        failures += 1;
        if (!(error instanceof ApiError || error instanceof ConnectionError)) throw error;
        // The request in progress may hold the key for a minute, so only patienceMs limits these retries.
        if (error.code !== 'REQUEST_IN_FLIGHT' || most === 0) counted += 1;
        if (!mayRepeat(error, failures) || counted > most) throw error;
        const asked = error instanceof ApiError ? error.retryAfterMs : 0;
        const pause = pauseMs(failures, asked);
        if (asked > patienceMs || Date.now() - since > patienceMs) throw error;
        // Rate limits apply to all requests of a client.
        if (error instanceof ApiError) this.#holdUntil = Math.max(this.#holdUntil, Date.now() + asked);
        note?.(error, pause);
        await delay(pause, signal);
      }
    }
  }

  async #attempt(request: Request, timeoutMs: number, signal: AbortSignal | undefined): Promise<Response> {
    const { fetch: ownFetch = globalThis.fetch } = this.#options;
    const isOwn = request.url.startsWith(`${this.baseUrl}/`);
    const deadline = new AbortController();
    signal?.throwIfAborted();
    const timer = setTimeout(() => deadline.abort(), Math.min(timeoutMs, LONGEST_TIMER_MS));
    try {
      const response = await ownFetch(request, {
        // Not X-API-Key, because fetch drops only Authorization when a redirect leads to another origin.
        ...(isOwn && { headers: { ...Object.fromEntries(request.headers), ...this.#headers() } }),
        // Following a redirect would turn a POST into a GET, or send its body to another server.
        redirect: request.method === 'GET' ? 'follow' : 'manual',
        signal: anyOf(deadline.signal, request.signal, signal) ?? deadline.signal,
      });
      if (response.ok) return await withBody(response);
      throw await errorOf(response, nameOf(request));
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof DarkroomError) throw error;
      // The file changed while it was being sent.
      if (causeOf(error)?.name === 'NotReadableError') throw causeOf(error);
      const where = new URL(request.url).host;
      if (deadline.signal.aborted) {
        throw new ConnectionError('TIMEOUT', `${where} did not respond within ${timeoutMs} ms`, {
          cause: error,
        });
      }
      const message = `the connection to ${where} failed (${reasonOf(error)})`;
      throw new ConnectionError('CONNECTION_LOST', message, { cause: error });
    } finally {
      // Reading an unread body, such as a long download, has no timeout.
      clearTimeout(timer);
    }
  }

  #headers(): Record<string, string> {
    const { apiKey } = this.#options;
    return apiKey === undefined ? {} : Object.fromEntries(new Headers({ Authorization: `Bearer ${apiKey}` }));
  }
}

const causeOf = (error: unknown) =>
  error instanceof Error && error.cause instanceof Error ? error.cause : undefined;

function anyOf(...signals: (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = signals.filter((signal) => signal !== undefined);
  return given.length > 1 ? AbortSignal.any(given) : given[0];
}

/** Omits the query, which may contain a credential. */
const nameOf = ({ method, url }: Request) => `${method} ${new URL(url).pathname}`;

/** Reads a JSON body completely, so that its loss is an error of the request. */
async function withBody(response: Response): Promise<Response> {
  const { status, statusText, headers } = response;
  if (status === 204 || !headers.get('content-type')?.includes('json')) return response;
  return new Response(await response.text(), { status, statusText, headers });
}

/** Decides whether to retry a request after an error; `failures` counts the failed attempts. */
export type Retryable = (error: ApiError | ConnectionError, failures: number) => boolean;

const asUsual =
  (repeatable: boolean): Retryable =>
  (error) =>
    isRetryable(error, repeatable);
