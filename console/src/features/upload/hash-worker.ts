import { sha256 } from 'darkroom-client';
import type { HashAnswer, HashOrder } from './hash-file.ts';

/** WebCrypto is many times faster, but takes only bytes that are all in memory. */
const WHOLE_BYTES = 128 * 1024 * 1024;
const running = new Map<number, AbortController>();

// Runs in a worker, because hashing a long video would make the page unresponsive.
self.addEventListener('message', ({ data: { id, file } }: MessageEvent<HashOrder>) => {
  running.get(id)?.abort();
  running.delete(id);
  if (!file) return;
  const stop = new AbortController();
  running.set(id, stop);
  const answer = (rest: { hash: string } | { error: unknown }) => {
    if (running.delete(id)) self.postMessage({ id, ...rest } satisfies HashAnswer, { transfer: [] });
  };
  hashOf(file, stop.signal).then(
    (hash) => answer({ hash }),
    (error: unknown) => answer({ error }),
  );
});

async function hashOf(file: Blob, signal: AbortSignal): Promise<string> {
  if (file.size > WHOLE_BYTES) return sha256(file, signal);
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
