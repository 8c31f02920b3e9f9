import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { LanceDbOptions } from '../lancedb-index.ts';
import { VectorIndexError } from '../vector-index-error.ts';
import type { IndexMethod, IndexReply, IndexRequest } from './messages.ts';

const ENTRY = fileURLToPath(new URL('./child.ts', import.meta.url));
/** A process that takes longer hangs, and is killed. Rebuilding a page of the index takes a second. */
const ANSWERS_WITHIN_MS = 30_000;
/** Nothing of the parent's environment, which has keys. */
const ENVIRONMENT = { MALLOC_ARENA_MAX: '2' };

/** One process of an embedded index. */
export interface IndexChild {
  /** Rejects with VectorIndexError, `VECTOR_INDEX_UNAVAILABLE` when the process ends before it has replied. */
  call(method: IndexMethod, args: unknown[]): Promise<unknown>;
  isAlive(): boolean;
  /** Ends the process once it has replied to all calls. */
  retire(): Promise<void>;
}

export function startIndexChild(options: LanceDbOptions): IndexChild {
  const child = fork(ENTRY, [JSON.stringify(options)], {
    serialization: 'advanced',
    execArgv: [],
    env: ENVIRONMENT,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  const ended = Promise.withResolvers<void>();
  let alive = true;
  let lastId = 0;

  const end = (): void => {
    alive = false;
    for (const { reject } of waiting.values()) reject(gone());
    waiting.clear();
    ended.resolve();
  };
  child.once('exit', end);
  // A process that could not be started emits no exit event.
  child.on('error', end);
  child.on('message', (message) => {
    const reply = message as IndexReply;
    const call = waiting.get(reply.id);
    waiting.delete(reply.id);
    if ('error' in reply) {
      const { code, message: text, detail } = reply.error;
      call?.reject(new VectorIndexError(code, text, { cause: detail }));
    } else call?.resolve(reply.result);
    // An idle child must not keep its parent alive.
    if (waiting.size === 0) child.channel?.unref();
  });
  child.unref();
  child.channel?.unref();

  return {
    call(method, args) {
      if (!alive) return Promise.reject(gone());
      const call = Promise.withResolvers<unknown>();
      const request: IndexRequest = { id: (lastId += 1), method, args };
      waiting.set(request.id, call);
      child.channel?.ref();
      child.send(request, (error) => error && end());
      const timer = setTimeout(() => child.kill('SIGKILL'), ANSWERS_WITHIN_MS);
      return call.promise.finally(() => clearTimeout(timer));
    },
    isAlive: () => alive,
    async retire() {
      await Promise.allSettled([...waiting.values()].map(({ promise }) => promise));
      // The caller waits for its end, perhaps with nothing else left to do.
      child.ref();
      if (alive) child.kill('SIGKILL');
      await ended.promise;
    },
  };
}

function gone(): VectorIndexError {
  return new VectorIndexError('VECTOR_INDEX_UNAVAILABLE', 'the process of the vector index ended');
}
