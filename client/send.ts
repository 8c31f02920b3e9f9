import { retryAfterSeconds } from '../domain/retry-after.ts';
import { ApiProblem, ConnectionLost } from './api-problem.ts';

export interface ApiTarget {
  /** Base URL of the API or of one of its processes, without a trailing slash. */
  url: string;
  /** Without one, requests are anonymous. */
  key?: string;
}

export interface Reply<T> {
  body: T;
  headers: Headers;
}

const ANSWER_MS = 60_000;

/**
 * One request to a path of the API, or to an absolute URL without the key. Every request of the tools leaves here.
 *
 * @throws TypeError without a response, and the reason of `init.signal`, which is a deadline of a minute by default
 */
export async function send(
  { url, key }: ApiTarget,
  method: string,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  const own = path.startsWith('/');
  return fetch(own ? `${url}${path}` : path, {
    ...init,
    method,
    // Not X-API-Key: only Authorization is dropped when a redirect leads to another origin.
    headers: {
      ...(own && key !== undefined && { Authorization: `Bearer ${key}` }),
      ...(init.headers as Record<string, string>),
    },
    signal: init.signal ?? AbortSignal.timeout(ANSWER_MS),
  });
}

/**
 * One request, answered with JSON, without retries.
 *
 * @throws ApiProblem, ConnectionLost
 */
export async function call<T>(
  target: ApiTarget,
  method: string,
  path: string,
  init?: RequestInit,
): Promise<Reply<T>> {
  try {
    const response = await send(target, method, path, init);
    return readReply<T>(response, await response.text());
  } catch (error) {
    if (error instanceof ApiProblem) throw error;
    throw connectionLost(target.url, error);
  }
}

/** A request with a JSON body. */
export function json(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json', ...headers } };
}

export function connectionLost(url: string, cause: unknown): ConnectionLost {
  return new ConnectionLost(`the connection to ${url} failed (${reasonOf(cause)})`, { cause });
}

/** @throws ApiProblem unless it is a success with an object */
function readReply<T>({ status, ok, headers }: Response, text: string): Reply<T> {
  const body = parsed(text) as
    | (T & { detail?: string; code?: string; errors?: { pointer: string }[] })
    | undefined;
  if (ok && body !== undefined) return { body, headers };
  if (ok) throw new ApiProblem(status, 'NOT_AN_API', 'the server is not a Darkroom API');
  throw new ApiProblem(
    status,
    body?.code ?? `HTTP_${status}`,
    body?.detail ?? `the API answered ${status}`,
    1000 * (retryAfterSeconds(headers.get('retry-after')) ?? 0),
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

/** The message of fetch is only `fetch failed`; its cause is specific. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}
