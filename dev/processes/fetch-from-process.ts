/**
 * Fetches the health or the metrics of a process of the stack; both are outside the public API.
 *
 * @throws TypeError if the process cannot be reached, TimeoutError after `withinMs`
 */
export function fetchFromProcess(
  origin: string,
  path: '/readyz' | '/metrics',
  withinMs: number,
): Promise<Response> {
  return fetch(`${origin}${path}`, { signal: AbortSignal.timeout(withinMs) });
}
