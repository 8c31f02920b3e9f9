import { ApiError, ConnectionError, DarkroomError, errorOf, reasonOf } from './errors.ts';

export interface TransportOptions {
  /** URL of the API with its path, such as `https://darkroom.example.com/api/v2`; on its own pages the path is enough. */
  baseUrl: string;
  /** An API key. Without one, requests are anonymous, or carry the session of a browser on the same origin. */
  apiKey?: string;
  /** Sends the requests in place of the global `fetch`. */
  fetch?: (request: Request, init?: RequestInit) => Promise<Response>;
  /** Aborts every request and every pause. */
  signal?: AbortSignal | undefined;
  /** How often a request is repeated that may succeed later; 4 by default. */
  retries?: number;
  /** How long a request is repeated after its first failure, and the longest `Retry-After`; two minutes by default. */
  patienceMs?: number;
  /** How long to wait for an answer to one attempt; 90 seconds by default. A body that is not JSON may take longer. */
  timeoutMs?: number;
  /** Called before each pause, with what went wrong. */
  onRetry?: ((error: ApiError | ConnectionError, pauseMs: number) => void) | undefined;
}

/** How one request is sent. */
export interface SendOptions {
  /** Aborts the request and its pauses; its reason is thrown. */
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
  /** By default those of the client. */
  retries?: number | undefined;
  /** Called before each pause, in place of that of the client. */
  onRetry?: TransportOptions['onRetry'];
}

const DEFAULTS = { retries: 4, patienceMs: 120_000, timeoutMs: 90_000 };
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** A longer timer would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** Answers of the API, or of a proxy before it, that may be others later. */
const TEMPORARY = [408, 429, 502, 503, 504];

/**
 * Exponential backoff with jitter in its upper half, so that clients do not repeat in step.
 *
 * @param failures consecutive failures, from 1
 * @param askedMs  minimum that the server asked for
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
 * @param repeatable whether it may be sent again although it may have taken effect
 */
export function isRetryable(error: unknown, repeatable = true): boolean {
  if (error instanceof ConnectionError) return repeatable;
  if (!(error instanceof ApiError)) return false;
  // Credits come back with the next month.
  if (error.code === 'QUOTA_EXHAUSTED') return false;
  // The first request with this Idempotency-Key is still at work.
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

/** Every request of the client leaves here: with the key, a deadline and retries. */
export class Transport {
  readonly baseUrl: string;
  readonly #options: TransportOptions & typeof DEFAULTS;
  #holdUntil = 0;

  /** @throws TypeError for a key that no header can hold, or a URL that is none */
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

  /** A request to a path of the API, or to another server, which gets no key. A body from a stream can be sent once. */
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
      // Node needs to be told that the answer comes after the body.
      ...(init.body instanceof ReadableStream && { duplex: 'half' }),
    });
  }

  /**
   * Sends a request, and repeats it when that may help.
   *
   * @param make       makes the request of each attempt, counted from 0; a signal of its own ends only that attempt
   * @param repeatable whether it may be sent again although it may have taken effect; a function decides for itself
   * @returns an answer that is a success; JSON has arrived, other bodies are still to be read
   * @throws ApiError, ConnectionError, the reason of the signal, and what `make` throws
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
        // Whoever is at work may hold the key for a minute; only patience ends that.
        if (error.code !== 'REQUEST_IN_FLIGHT' || most === 0) counted += 1;
        if (!mayRepeat(error, failures) || counted > most) throw error;
        const asked = error instanceof ApiError ? error.retryAfterMs : 0;
        const pause = pauseMs(failures, asked);
        if (asked > patienceMs || Date.now() - since > patienceMs) throw error;
        // A limit counts for all requests of a client.
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
        // Not X-API-Key: only Authorization is dropped when a redirect leads to another origin.
        ...(isOwn && { headers: { ...Object.fromEntries(request.headers), ...this.#headers() } }),
        // A redirect would turn a POST into a GET, or carry its body elsewhere.
        redirect: request.method === 'GET' ? 'follow' : 'manual',
        signal: anyOf(deadline.signal, request.signal, signal) ?? deadline.signal,
      });
      if (response.ok) return await withBody(response);
      throw await errorOf(response, nameOf(request));
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof DarkroomError) throw error;
      // A file that changed while it was sent.
      if (causeOf(error)?.name === 'NotReadableError') throw causeOf(error);
      const where = new URL(request.url).host;
      if (deadline.signal.aborted) {
        throw new ConnectionError('TIMEOUT', `${where} did not answer within ${timeoutMs} ms`, {
          cause: error,
        });
      }
      const message = `the connection to ${where} failed (${reasonOf(error)})`;
      throw new ConnectionError('CONNECTION_LOST', message, { cause: error });
    } finally {
      // A body that is still to be read, such as a long download, has no deadline.
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

/** Without the query, which may hold a credential. */
const nameOf = ({ method, url }: Request) => `${method} ${new URL(url).pathname}`;

/** An answer in JSON is whole, so that its loss is an error of the request. */
async function withBody(response: Response): Promise<Response> {
  const { status, statusText, headers } = response;
  if (status === 204 || !headers.get('content-type')?.includes('json')) return response;
  return new Response(await response.text(), { status, statusText, headers });
}

/** Whether to repeat a request after so many failures. */
export type Retryable = (error: ApiError | ConnectionError, failures: number) => boolean;

const asUsual =
  (repeatable: boolean): Retryable =>
  (error) =>
    isRetryable(error, repeatable);
