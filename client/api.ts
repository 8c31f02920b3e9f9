import { setTimeout as delay } from 'node:timers/promises';
import { ApiLost, ApiProblem, ConnectionLost, isRetryable } from './api-problem.ts';
import { call, json, type ApiTarget, type Reply } from './send.ts';

const FIRST_MS = 500;
const MOST_MS = 30_000;

/**
 * Exponential backoff with jitter in the upper half, so that clients do not retry in sync.
 *
 * @param failures     consecutive failures, from 1
 * @param retryAfterMs minimum requested by the server
 * @param chance       source of the jitter, from 0 to 1
 */
export function pauseMs(failures: number, retryAfterMs = 0, chance = Math.random()): number {
  const ceiling = Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 20));
  const own = ceiling / 2 + (ceiling / 2) * chance;
  return retryAfterMs > 0 ? retryAfterMs + Math.min(own, 1000) * chance : own;
}

const ANSWER_MS = 60_000;
/** An upload without progress for this long is aborted. */
const STALLED_MS = 120_000;
/** A 500 is a defect, and rarely temporary. */
const TRIES_OF_A_DEFECT = 3;

interface ApiOptions {
  target: ApiTarget;
  /** Aborts every request and every pause. */
  signal: AbortSignal;
  patienceMs: number;
  /** Called before each pause, with the reason for the user. */
  onPause: (why: string, milliseconds: number) => void;
}

/** The API to a program that works for a user: it retries, and a Retry-After delays all requests. */
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
  ): Promise<Reply<T>> {
    const init = json(request.body, request.headers);
    for (let failures = 1; ; failures += 1) {
      try {
        return await this.#attempt<T>(method, path, init, AbortSignal.timeout(ANSWER_MS));
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
  async stream<T>(path: string, form: FormData, onBytes: (count: number) => void): Promise<Reply<T>> {
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
      const init = { headers, body, duplex: 'half' as const };
      return await this.#attempt<T>('POST', path, init, stalled.signal);
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Waits for the API's Retry-After, otherwise with exponential backoff.
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

  async #attempt<T>(
    method: string,
    path: string,
    init: RequestInit,
    deadline: AbortSignal,
  ): Promise<Reply<T>> {
    const { target, signal } = this.#options;
    const hold = this.#holdUntil - Date.now();
    if (hold > 0) await delay(hold, undefined, { signal });
    signal.throwIfAborted();
    try {
      const answer = await call<T>(target, method, path, {
        ...init,
        // A redirect would turn a POST into a GET, or carry the key elsewhere.
        redirect: 'manual',
        signal: AbortSignal.any([signal, deadline]),
      });
      this.#outSince = undefined;
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      if (isRetryable(error)) this.#outSince ??= Date.now();
      else this.#outSince = undefined;
      throw error;
    }
  }
}
