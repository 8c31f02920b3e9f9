import type { ServerResponse } from 'node:http';

/** Aborted once the client has disconnected. */
export function clientGone(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  // A client that has already disconnected emits no further event.
  if (response.destroyed) gone.abort();
  return gone.signal;
}

const STALLED_MS = 60_000;

/**
 * Aborts a response of which the client reads nothing for a minute, so that it does not hold its slot
 * forever.
 */
export function endIfStalled(response: ServerResponse): void {
  response.setTimeout(STALLED_MS, () => response.destroy());
}
