/**
 * Asks a process of the stack for its health or its metrics, which are no operations of the API.
 *
 * @throws TypeError without an answer, and a TimeoutError
 */
export function askProcess(
  origin: string,
  path: '/readyz' | '/metrics',
  withinMs: number,
): Promise<Response> {
  return fetch(`${origin}${path}`, { signal: AbortSignal.timeout(withinMs) });
}
