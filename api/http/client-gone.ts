import type { ServerResponse } from 'node:http';

/** Aborted once the client has disconnected. */
export function clientGone(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  // One that disconnected before emits no further event.
  if (response.destroyed) gone.abort();
  return gone.signal;
}
