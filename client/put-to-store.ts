import type { Api } from './api.ts';
import { ApiProblem, ConnectionLost } from './api-problem.ts';
import { reasonOf, send } from './send.ts';

/** Minimum transfer rate in bytes per second, for the deadline of a request; each also has a minute of slack. */
const SLOWEST = 16 * 1024;
/** A 403 is rarely temporary: the URL has expired or is invalid. */
const TRIES_WHEN_FORBIDDEN = 3;

/**
 * PUTs bytes to the object store, with retries for temporary failures.
 *
 * @param request `fresh` returns the URL for each attempt, counted from 0
 * @returns the ETag
 * @throws ApiProblem STORE_REFUSED, STORE_UNREACHABLE; ApiLost
 */
export async function putToStore(
  { api, signal, patienceMs }: { api: Api; signal: AbortSignal; patienceMs: number },
  request: { fresh: (attempt: number) => Promise<string>; bytes: Blob; headers?: Record<string, string> },
): Promise<string> {
  const { fresh, bytes, headers = {} } = request;
  const began = Date.now();
  for (let attempt = 0; ; attempt += 1) {
    const url = await fresh(attempt);
    let trouble: string;
    try {
      const deadline = AbortSignal.timeout(60_000 + Math.ceil(bytes.size / SLOWEST) * 1000);
      const response = await send({ url: api.url }, 'PUT', url, {
        headers,
        body: bytes,
        redirect: 'error',
        signal: AbortSignal.any([signal, deadline]),
      });
      const text = await response.text();
      if (response.ok) return response.headers.get('etag') ?? '';
      const code = /<Code>(\w+)<\/Code>/.exec(text)?.[1] ?? '';
      trouble = `the object store answered ${response.status} ${code}`.trim();
      const { status } = response;
      const hopeless =
        status === 403
          ? attempt + 1 >= TRIES_WHEN_FORBIDDEN
          : status < 500 && status !== 408 && status !== 429;
      if (hopeless) throw new ApiProblem(status, 'STORE_REFUSED', trouble);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ApiProblem) throw error;
      trouble = `the object store cannot be reached (${reasonOf(error)})`;
    }
    if (Date.now() - began > patienceMs) throw new ApiProblem(0, 'STORE_UNREACHABLE', trouble);
    await api.pause(new ConnectionLost(trouble), attempt + 1);
  }
}
