import { AsyncLocalStorage } from 'node:async_hooks';
import {
  ApiError,
  ConnectionError,
  Darkroom,
  DarkroomError,
  type RawRequest,
  type SendOptions,
} from '../../sdk/src/index.ts';

// Responses are read as a client in another language would: untyped, by field name.
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any;

export interface Answer {
  /** The method and the path, with ids, without the query. */
  request: string;
  status: number;
  requestId: string;
  body: Json;
}

/** The API gave a response that no client can handle. */
export class RequestFailed extends Error {}

/** A client for load and chaos tests: returns every response, including errors, and counts all problems. */
export interface Http {
  readonly client: Darkroom;
  /** Sends one request to a path of the API, or to an absolute URL without the key. @throws ConnectionError */
  once(method: string, path: string, init?: RawRequest): Promise<Answer>;
  /**
   * Sends a request and retries it while there is no response or a retryable one. Only for requests that are safe to
   * repeat.
   *
   * @throws RequestFailed after the deadline
   */
  sendWithRetries(method: string, path: string, init?: RawRequest): Promise<Answer>;
  /**
   * Runs work of the client that consists of several requests, such as an upload.
   *
   * @param name describes the work to the user
   * @throws RequestFailed if the client gives up
   */
  runWithRetries<R>(name: string, work: (options: SendOptions) => Promise<R>): Promise<R>;
  /** Lists work in `waiting` until it has ended. Work that is tracked within other work updates the last step of both. */
  track<R>(name: string, work: () => Promise<R>): Promise<R>;
  /** One line for each request and other work in progress, longest first, with its duration and last step. */
  waiting(): string[];
  /** Count of each problem, by name. */
  readonly problems: ReadonlyMap<string, number>;
}

const ANSWER_MS = 60_000;
const PATIENCE_MS = 240_000;
const MOST_OF_A_BODY = 500;

interface Pending {
  name: string;
  began: number;
  /** The last request and its response or error, if any. */
  last: string;
  within: Pending | undefined;
}

/**
 * @param signal    aborts every request and every pause
 * @param onFailure receives one line for each response that reveals a defect of the API
 * @param problems  shared with other clients of the same run
 */
export function createHttp(options: {
  apiUrl: string;
  apiKey: string;
  signal: AbortSignal;
  onFailure?: (line: string) => void;
  problems?: Map<string, number>;
}): Http {
  const { apiUrl, apiKey, signal, onFailure, problems = new Map<string, number>() } = options;
  const note = (problem: string) => problems.set(problem, (problems.get(problem) ?? 0) + 1);
  const pending = new Set<Pending>();
  const current = new AsyncLocalStorage<Pending>();
  const client = new Darkroom({
    baseUrl: apiUrl,
    apiKey,
    fetch: observed,
    retries: Infinity,
    patienceMs: PATIENCE_MS,
    timeoutMs: ANSWER_MS,
  });

  async function track<R>(name: string, work: () => Promise<R>): Promise<R> {
    const own = { name, began: Date.now(), last: 'no request', within: current.getStore() };
    pending.add(own);
    try {
      return await current.run(own, work);
    } finally {
      pending.delete(own);
    }
  }

  function setLastStep(step: string): void {
    for (let at = current.getStore(); at; at = at.within) at.last = step;
  }

  async function observed(request: Request, init?: RequestInit): Promise<Response> {
    const name = nameOf(request.method, request.url);
    setLastStep(`${name} was sent`);
    const response = await fetch(request, init).catch((error: unknown) => {
      if (!signal.aborted) note('no answer');
      throw error;
    });
    setLastStep(`${name} returned ${response.status}`);
    if (response.ok || !request.url.startsWith(apiUrl)) return response;
    const answer = await answerOf(name, response.clone());
    const { status, body } = answer;
    // 503 is an outage behind the API; any other 5xx is a defect.
    if (status >= 500 && status !== 503) {
      note(`answered ${status}: ${withoutIds(answer.request)}`);
      onFailure?.(explainAnswer(answer));
    } else if (isTemporary(answer)) note(`${status} ${body?.code ?? ''}`.trim());
    return response;
  }

  async function runWithRetries<R>(name: string, work: (options: SendOptions) => Promise<R>): Promise<R> {
    const onRetry = (error: ApiError | ConnectionError) => setLastStep(explainError(error));
    try {
      return await track(name, () => work({ signal, onRetry }));
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof DarkroomError)) throw error;
      throw new RequestFailed(`${name}: ${explainError(error)}`, { cause: error });
    }
  }

  async function answered(method: string, path: string, init: RawRequest): Promise<Answer> {
    const request = nameOf(method, path);
    try {
      return await answerOf(request, await client.send(method, path, { ...init, signal }));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { status, requestId, code, message: detail } = error;
      return { request, status, requestId, body: { code, detail } };
    }
  }

  return {
    client,
    problems,
    runWithRetries,
    track,
    waiting: () =>
      [...pending].map(({ name, began, last }) => {
        const seconds = Math.round((Date.now() - began) / 1000);
        return `${name} for ${seconds} s, last step: ${last}`;
      }),
    once: (method, path, init) =>
      track(nameOf(method, path), () => answered(method, path, { ...init, retries: 0 })),
    sendWithRetries: (method, path, init) =>
      runWithRetries(nameOf(method, path), async ({ onRetry }) => {
        const repeatable = (error: ApiError | ConnectionError) =>
          error instanceof ConnectionError || isTemporary({ status: error.status, body: error });
        const answer = await answered(method, path, { ...init, repeatable, onRetry });
        if (!isTemporary(answer)) return answer;
        throw new RequestFailed(
          `${answer.request} was retried for ${PATIENCE_MS / 1000} s, last: ${explainAnswer(answer)}`,
        );
      }),
  };
}

async function answerOf(request: string, response: Response): Promise<Answer> {
  const { status, headers } = response;
  const text = await response.text();
  const isJson = headers.get('content-type')?.includes('json');
  return {
    request,
    status,
    requestId: headers.get('x-request-id') ?? '',
    body: isJson ? JSON.parse(text) : text,
  };
}

/** Whether the same request may succeed later. */
export function isTemporary({ status, body }: Pick<Answer, 'status' | 'body'>): boolean {
  return (
    status >= 500 ||
    status === 429 ||
    status === 408 ||
    (status === 409 && body?.code === 'REQUEST_IN_FLIGHT')
  );
}

/** @throws RequestFailed with the request and the response, unless it has this status */
export function expectStatus(answer: Answer, status: number, what: string): Json {
  if (answer.status === status) return answer.body;
  throw new RequestFailed(`${what}: ${explainAnswer(answer)}`);
}

/**
 * The request, status, code, reason and request id in one line. For a body other than a problem document: its
 * beginning.
 */
function explainAnswer({ request, status, requestId, body }: Answer): string {
  const why = body?.code
    ? `${body.code}: ${body.detail}`
    : JSON.stringify(body ?? null).slice(0, MOST_OF_A_BODY);
  return `${request} returned ${status} ${why}${requestId ? ` (request ${requestId})` : ''}`;
}

function explainError(error: DarkroomError): string {
  if (!(error instanceof ApiError)) return error.message;
  const { request, status, requestId, code, message: detail } = error;
  return explainAnswer({ request, status, requestId, body: { code, detail } });
}

/** A request with a JSON body. */
export function json(body: unknown): RawRequest {
  return { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
}

/** Omits the query, which is a credential in presigned URLs. */
function nameOf(method: string, path: string): string {
  return `${method} ${new URL(path, 'http://any').pathname}`;
}

function withoutIds(request: string): string {
  return request.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '{id}');
}
