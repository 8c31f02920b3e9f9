import { setTimeout as delay } from 'node:timers/promises';
import { retryAfterSeconds } from '../domain/retry-after.ts';
import { ConnectionLost } from './api-problem.ts';
import { send } from './send.ts';

// Responses are read as a client in another language would: untyped, by field name.
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any;

export interface Answer {
  /** The method and the path, with ids, without the query. */
  request: string;
  status: number;
  headers: Headers;
  body: Json;
}

/** The API gave a response that no client can handle. */
export class Refused extends Error {}

/** The API to programs that break it and count: each answer is returned, and every trouble is noted. */
export interface Http {
  /** One request to a path of the API, or to an absolute URL without the key. @throws ConnectionLost */
  once(method: string, path: string, init?: RequestInit): Promise<Answer>;
  /**
   * The same, retried while there is no response or a retryable one. For requests that are safe to repeat.
   *
   * @throws Refused after the deadline
   */
  patiently(method: string, path: string, init?: RequestInit): Promise<Answer>;
  /** Count of each problem, by name. */
  readonly troubles: ReadonlyMap<string, number>;
  /** One line for each request that is being sent or repeated: with its duration and last response. */
  waiting(): string[];
}

const ANSWER_MS = 60_000;
const PATIENCE_MS = 240_000;
const MOST_OF_A_BODY = 500;
const PAUSE = { firstMs: 200, mostMs: 3_000 };

interface Pending {
  request: string;
  began: number;
  /** The answer that made it be repeated. */
  last: string;
}

/**
 * @param signal    aborts every request and every pause
 * @param onFailure receives one line for each answer that is a defect of the API
 * @param troubles  shared with other clients of the same run
 */
export function createHttp(options: {
  apiUrl: string;
  apiKey: string;
  signal: AbortSignal;
  onFailure?: (line: string) => void;
  troubles?: Map<string, number>;
}): Http {
  const { apiUrl, apiKey, signal, onFailure, troubles = new Map<string, number>() } = options;
  const note = (trouble: string) => troubles.set(trouble, (troubles.get(trouble) ?? 0) + 1);
  const pending = new Set<Pending>();

  async function whilePending<R>(request: string, work: (own: Pending) => Promise<R>): Promise<R> {
    const own = { request, began: Date.now(), last: 'no answer' };
    pending.add(own);
    try {
      return await work(own);
    } finally {
      pending.delete(own);
    }
  }

  async function attempt(method: string, path: string, init: RequestInit = {}): Promise<Answer> {
    const own = path.startsWith('/');
    const request = nameOf(method, path);
    signal.throwIfAborted();
    try {
      const response = await send({ url: apiUrl, key: apiKey }, method, path, {
        ...init,
        signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.includes('json');
      const body: Json = isJson ? JSON.parse(text) : text;
      const { status, headers } = response;
      const answer = { request, status, headers, body };
      // An outage behind the API is 503; a 500 is a defect.
      if (own && status >= 500 && status !== 503) {
        note(`answered ${status}: ${withoutIds(request)}`);
        onFailure?.(explainAnswer(answer));
      }
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      note('no answer');
      throw new ConnectionLost(`${request} got no response`, { cause: error });
    }
  }

  return {
    troubles,
    waiting: () =>
      [...pending].map(({ request, began, last }) => {
        const seconds = Math.round((Date.now() - began) / 1000);
        return `${request} for ${seconds} s, last answer: ${last}`;
      }),
    once: (method, path, init) => whilePending(nameOf(method, path), () => attempt(method, path, init)),
    patiently: (method, path, init) =>
      whilePending(nameOf(method, path), async (own) => {
        const deadline = own.began + PATIENCE_MS;
        for (let pause = PAUSE.firstMs; ; pause = Math.min(pause * 2, PAUSE.mostMs)) {
          let wait = pause;
          try {
            const answer = await attempt(method, path, init);
            if (!asksForPatience(answer)) return answer;
            own.last = explainAnswer(answer);
            const { status, body } = answer;
            if (status < 500 || status === 503) note(`${status} ${body?.code ?? ''}`.trim());
            wait = Math.max(pause, 1000 * (retryAfterSeconds(answer.headers.get('retry-after')) ?? 0));
          } catch (error) {
            if (!(error instanceof ConnectionLost)) throw error;
            own.last = 'no answer';
          }
          if (Date.now() + wait > deadline) {
            throw new Refused(`${own.request} was repeated for ${PATIENCE_MS / 1000} s, last: ${own.last}`);
          }
          await delay(wait, undefined, { signal });
        }
      }),
  };
}

/** Whether the same request may succeed later. */
export function asksForPatience({ status, body }: Pick<Answer, 'status' | 'body'>): boolean {
  return (
    status >= 500 ||
    status === 429 ||
    status === 408 ||
    (status === 409 && body?.code === 'REQUEST_IN_FLIGHT')
  );
}

/** @throws Refused with the request and the response, unless it has this status */
export function expectStatus(answer: Answer, status: number, what: string): Json {
  if (answer.status === status) return answer.body;
  throw new Refused(`${what}: ${explainAnswer(answer)}`);
}

/**
 * The request, status, code, reason and request id in one line; of a body that is no problem document, its beginning.
 */
export function explainAnswer({ request, status, headers, body }: Answer): string {
  const why = body?.code
    ? `${body.code}: ${body.detail}`
    : JSON.stringify(body ?? null).slice(0, MOST_OF_A_BODY);
  const id = headers.get('x-request-id');
  return `${request} was answered ${status} ${why}${id ? ` (request ${id})` : ''}`;
}

/** Without the query, which in a presigned URL is a credential. */
function nameOf(method: string, path: string): string {
  return `${method} ${new URL(path, 'http://any').pathname}`;
}

function withoutIds(request: string): string {
  return request.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '{id}');
}
