/** To the worker; without a file, the work with this id ends. */
export interface HashOrder {
  id: number;
  file?: Blob;
}
export type HashAnswer = { id: number } & ({ hash: string } | { hash?: never; error: unknown });

const waiting = new Map<number, PromiseWithResolvers<string>>();
let worker: Worker | undefined;
let lastId = 0;

/**
 * The SHA-256 of a file in hexadecimal, computed beside the page.
 *
 * @throws the error of a file that cannot be read; the reason of the signal
 */
export async function hashFile(file: Blob, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  worker ??= start();
  const to = worker;
  lastId += 1;
  const id = lastId;
  const answer = Promise.withResolvers<string>();
  const abort = () => {
    to.postMessage({ id } satisfies HashOrder, []);
    answer.reject(signal.reason);
  };
  waiting.set(id, answer);
  signal.addEventListener('abort', abort);
  to.postMessage({ id, file } satisfies HashOrder, []);
  try {
    return await answer.promise;
  } finally {
    waiting.delete(id);
    signal.removeEventListener('abort', abort);
  }
}

function start(): Worker {
  const created = new Worker(new URL('hash-worker.ts', import.meta.url), { type: 'module' });
  created.addEventListener('message', ({ data }: MessageEvent<HashAnswer>) => {
    if (data.hash === undefined) waiting.get(data.id)?.reject(data.error);
    else waiting.get(data.id)?.resolve(data.hash);
  });
  created.addEventListener('error', ({ message }) => {
    for (const answer of waiting.values()) answer.reject(new Error(message || 'the worker cannot be loaded'));
    worker = undefined;
  });
  return created;
}
