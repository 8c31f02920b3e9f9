type Answer = { id: number } & ({ hash: string } | { hash?: never; error: unknown });

const waiting = new Map<number, PromiseWithResolvers<string>>();
let worker: Worker | undefined;
let lastId = 0;

/** The SHA-256 of a file in hexadecimal, computed beside the page. @throws the error of a file that cannot be read */
export function hashFile(file: Blob): Promise<string> {
  worker ??= start();
  lastId += 1;
  const answer = Promise.withResolvers<string>();
  waiting.set(lastId, answer);
  worker.postMessage({ id: lastId, file });
  return answer.promise;
}

function start(): Worker {
  const created = new Worker(new URL('hash-worker.ts', import.meta.url), { type: 'module' });
  created.addEventListener('message', ({ data }: MessageEvent<Answer>) => {
    const answer = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.hash === undefined) answer?.reject(data.error);
    else answer?.resolve(data.hash);
  });
  created.addEventListener('error', ({ message }) => {
    for (const answer of waiting.values()) answer.reject(new Error(message || 'the worker cannot be loaded'));
    waiting.clear();
    worker = undefined;
  });
  return created;
}
