import type { ServerResponse } from 'node:http';

/** Aborted once the client has disconnected. */
export function clientGone(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  // One that disconnected before emits no further event.
  if (response.destroyed) gone.abort();
  return gone.signal;
}

const STALLED_MS = 60_000;

/** Breaks an answer off when the client takes nothing of it for a minute, so that it holds no slot for ever. */
export function endIfStalled(response: ServerResponse): void {
  response.setTimeout(STALLED_MS, () => response.destroy());
}
