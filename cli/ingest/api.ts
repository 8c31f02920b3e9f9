import { setTimeout as delay } from 'node:timers/promises';
import { retryAfterSeconds } from '../../domain/retry-after.ts';
import { ApiLost, ApiProblem, ConnectionLost, isRetryable } from './api-problem.ts';
import { pauseMs } from './backoff.ts';
import type { ApiTarget } from './find-api.ts';

const ANSWER_MS = 60_000;
/** An upload without progress for this long is aborted. */
const STALLED_MS = 120_000;
/** A 500 is a defect, and rarely temporary. */
const TRIES_OF_A_DEFECT = 3;

export interface Answer<T> {
  body: T;
  /** Whether it is the stored response to an earlier request with the same Idempotency-Key. */
  replayed: boolean;
}

export interface ApiOptions {
  target: ApiTarget;
  /** Aborts every request and every pause. */
  signal: AbortSignal;
  patienceMs: number;
  /** Called before each pause, with the reason for the user. */
  onPause: (why: string, milliseconds: number) => void;
}

/** The public HTTP API. A Retry-After delays all requests, not only the one that received it. */
export class Api {
  readonly #options: ApiOptions;
  #holdUntil = 0;
  #outSince: number | undefined;

  constructor(options: ApiOptions) {
    this.#options = options;
  }

  get url(): string {
    return this.#options.target.url;
  }

  /**
   * Sends a request that is safe to repeat, with retries.
   *
   * @param request `failFast`: do not retry an unreachable API
   * @throws ApiProblem, ApiLost; ConnectionLost only with `failFast`
   */
  async call<T>(
    method: string,
    path: string,
    request: { body?: unknown; headers?: Record<string, string>; failFast?: boolean } = {},
  ): Promise<Answer<T>> {
    const init = {
      method,
      headers: { 'Content-Type': 'application/json', ...request.headers },
      ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
    };
    for (let failures = 1; ; failures += 1) {
      try {
        return await this.#attempt<T>(path, init, AbortSignal.timeout(ANSWER_MS));
      } catch (error) {
        const defect = error instanceof ApiProblem && error.status === 500 && failures >= TRIES_OF_A_DEFECT;
        const lost = error instanceof ConnectionLost && request.failFast === true;
        if (!isRetryable(error) || defect || lost) throw error;
        await this.pause(error, failures);
      }
    }
  }

  /**
   * Streams a form, without retries.
   *
   * @param onBytes called with the number of bytes sent
   * @throws ApiProblem, ConnectionLost
   */
  async stream<T>(path: string, form: FormData, onBytes: (count: number) => void): Promise<Answer<T>> {
    const encoded = new Response(form);
    const stalled = new AbortController();
    const timer = setTimeout(() => stalled.abort(new Error('the upload has stalled')), STALLED_MS);
    const counter = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        timer.refresh();
        onBytes(chunk.length);
        controller.enqueue(chunk);
      },
    });
    const body = encoded.body?.pipeThrough(counter) ?? null;
    const headers = { 'Content-Type': encoded.headers.get('content-type') ?? '' };
    try {
      const init = { method: 'POST', headers, body, duplex: 'half' as const };
      return await this.#attempt<T>(path, init, stalled.signal);
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Waits for as long as the API asks, otherwise with exponential backoff.
   *
   * @throws ApiLost once the API has been unavailable for `patienceMs`
   */
  async pause(error: ApiProblem | ConnectionLost, failures: number): Promise<void> {
    const asked = error instanceof ApiProblem ? error.retryAfterMs : 0;
    const { patienceMs } = this.#options;
    const out = Date.now() - (this.#outSince ?? Date.now());
    const wait = Math.min(pauseMs(failures, asked), Math.max(asked, patienceMs - out));
    if (out >= patienceMs || asked > patienceMs) {
      throw new ApiLost(`${this.url} has been unavailable for too long: ${error.message}`, { cause: error });
    }
    this.#holdUntil = Math.max(this.#holdUntil, Date.now() + asked);
    this.#options.onPause(error.message, wait);
    await delay(wait, undefined, { signal: this.#options.signal });
  }

  async #attempt<T>(path: string, init: RequestInit, deadline: AbortSignal): Promise<Answer<T>> {
    const { target, signal } = this.#options;
    const hold = this.#holdUntil - Date.now();
    if (hold > 0) await delay(hold, undefined, { signal });
    signal.throwIfAborted();
    try {
      const response = await fetch(`${target.url}${path}`, {
        ...init,
        // A redirect would turn a POST into a GET, or carry the key elsewhere.
        redirect: 'manual',
        headers: { ...(init.headers as Record<string, string>), Authorization: `Bearer ${target.key}` },
        signal: AbortSignal.any([signal, deadline]),
      });
      const text = await response.text();
      const answer = readAnswer<T>(response, text);
      this.#outSince = undefined;
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      const problem = error instanceof ApiProblem ? error : connectionLost(target.url, error);
      if (isRetryable(problem)) this.#outSince ??= Date.now();
      else this.#outSince = undefined;
      throw problem;
    }
  }
}

function connectionLost(url: string, cause: unknown): ConnectionLost {
  return new ConnectionLost(`the connection to ${url} failed (${reasonOf(cause)})`, { cause });
}

function readAnswer<T>(response: Response, text: string): Answer<T> {
  const body = parsed(text) as
    | (T & { detail?: string; code?: string; errors?: { pointer: string }[] })
    | undefined;
  if (response.ok && body !== undefined) {
    return { body, replayed: response.headers.get('idempotency-replayed') === 'true' };
  }
  if (response.ok) throw new ApiProblem(response.status, 'NOT_AN_API', 'the server is not a Darkroom API');
  throw new ApiProblem(
    response.status,
    body?.code ?? `HTTP_${response.status}`,
    body?.detail ?? `the API answered ${response.status}`,
    1000 * (retryAfterSeconds(response.headers.get('retry-after')) ?? 0),
    (body?.errors ?? []).map(({ pointer }) => pointer),
  );
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** `fetch failed` says nothing; its cause does. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}
