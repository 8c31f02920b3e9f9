import { setTimeout as delay } from 'node:timers/promises';
import { retryAfterSeconds } from '../../domain/retry-after.ts';

// Responses are read as a client in another language would: untyped, by field name.
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any;

export interface Answer {
  status: number;
  headers: Headers;
  body: Json;
}

/** No response: whether the request took effect is unknown. */
export class NoAnswer extends Error {}
/** The API gave a response that no client can handle. */
export class Refused extends Error {}

export interface Http {
  /** One request to a path of the API, or to an absolute URL without the key. @throws NoAnswer */
  once(method: string, path: string, init?: RequestInit): Promise<Answer>;
  /**
   * The same, retried while there is no response or a retryable one. For requests that are safe to repeat.
   *
   * @throws Refused after the deadline
   */
  patiently(method: string, path: string, init?: RequestInit): Promise<Answer>;
  /** Count of each problem, by name. */
  readonly troubles: ReadonlyMap<string, number>;
}

const ANSWER_MS = 60_000;
const PATIENCE_MS = 240_000;
const PAUSE = { firstMs: 200, mostMs: 3_000 };

/** @param signal aborts every request and every pause */
export function createHttp(options: { apiUrl: string; apiKey: string; signal: AbortSignal }): Http {
  const { apiUrl, apiKey, signal } = options;
  const troubles = new Map<string, number>();
  const note = (trouble: string) => troubles.set(trouble, (troubles.get(trouble) ?? 0) + 1);

  async function once(method: string, path: string, init: RequestInit = {}): Promise<Answer> {
    const own = path.startsWith('/');
    signal.throwIfAborted();
    try {
      const response = await fetch(own ? `${apiUrl}${path}` : path, {
        method,
        ...init,
        headers: {
          ...(own ? { Authorization: `Bearer ${apiKey}` } : {}),
          ...(init.headers as Record<string, string>),
        },
        signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.includes('json');
      const body: Json = isJson ? JSON.parse(text) : text;
      const { status, headers } = response;
      // An outage behind the API is 503; a 500 is a defect.
      if (own && status >= 500 && status !== 503) note(`answered ${status}: ${method} ${pattern(path)}`);
      return { status, headers, body };
    } catch (error) {
      signal.throwIfAborted();
      note('no answer');
      throw new NoAnswer(`${method} ${path} got no response`, { cause: error });
    }
  }

  return {
    once,
    troubles,
    async patiently(method, path, init) {
      const deadline = Date.now() + PATIENCE_MS;
      for (let pause = PAUSE.firstMs; ; pause = Math.min(pause * 2, PAUSE.mostMs)) {
        let wait = pause;
        let last = 'no answer';
        try {
          const answer = await once(method, path, init);
          if (!asksForPatience(answer)) return answer;
          last = `${answer.status} ${answer.body?.code ?? ''}`.trim();
          if (answer.status < 500 || answer.status === 503) note(last);
          wait = Math.max(pause, 1000 * (retryAfterSeconds(answer.headers.get('retry-after')) ?? 0));
        } catch (error) {
          if (!(error instanceof NoAnswer)) throw error;
        }
        if (Date.now() + wait > deadline) {
          throw new Refused(`${method} ${pattern(path)}: ${last}, for ${PATIENCE_MS / 1000} s`);
        }
        await delay(wait, undefined, { signal });
      }
    },
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

/** @throws Refused with the response, unless it has this status */
export function expectStatus(answer: Answer, status: number, what: string): Json {
  if (answer.status === status) return answer.body;
  throw new Refused(`${what} was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
}

export function json(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return {
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json', ...headers },
  };
}

/** A path with its ids replaced. */
function pattern(path: string): string {
  const { pathname } = new URL(path, 'http://any');
  return pathname.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '{id}');
}
