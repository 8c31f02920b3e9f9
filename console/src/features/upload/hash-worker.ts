import { sha256 } from 'darkroom-client';

/** Runs in a worker, because hashing a long video would make the page unresponsive. */
self.addEventListener('message', ({ data }: MessageEvent<{ id: number; file: Blob }>) => {
  sha256(data.file).then(
    (hash) => self.postMessage({ id: data.id, hash }),
    (error: unknown) => self.postMessage({ id: data.id, error }),
  );
});
