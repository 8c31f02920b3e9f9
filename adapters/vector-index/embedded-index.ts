import type { LanceDbOptions } from './lancedb-index.ts';
import { startIndexChild, type IndexChild } from './process/index-child.ts';
import type { IndexMethod } from './process/messages.ts';
import type { VectorIndex } from './vector-index.ts';

/** About 80 MB of what the library does not free, see createEmbeddedIndex. */
const WRITES_A_PROCESS = 1000;
const CALLS_A_PROCESS = 5000;
const WRITES: ReadonlySet<IndexMethod> = new Set(['upsert', 'remove', 'removePoints']);

/**
 * Vectors in a LanceDB folder, served by a process of its own, which starts with the first call. LanceDB keeps about 80
 * KB of every write for ever (lance-format/lance#1983), and about 16 KB of a search in what others have written, so the
 * process is replaced after some writes or calls: the old one ends when it has answered. If it dies, its calls fail as
 * unavailable, and the next call starts another.
 *
 * @param options `writesAProcess` and `callsAProcess` before it is replaced
 */
export function createEmbeddedIndex({
  writesAProcess = WRITES_A_PROCESS,
  callsAProcess = CALLS_A_PROCESS,
  ...options
}: LanceDbOptions & { writesAProcess?: number; callsAProcess?: number }): VectorIndex {
  let current: IndexChild | undefined;
  let writes = 0;
  let calls = 0;
  const retiring = new Set<Promise<void>>();

  function child(): IndexChild {
    if (!current?.isAlive()) {
      current = startIndexChild(options);
      writes = 0;
      calls = 0;
    }
    return current;
  }

  function retire(): void {
    if (!current) return;
    const ended = current.retire();
    current = undefined;
    retiring.add(ended);
    void ended.then(() => retiring.delete(ended));
  }

  const call =
    <Method extends IndexMethod>(method: Method) =>
    (...args: Parameters<VectorIndex[Method]>) => {
      const answer = child().call(method, args) as ReturnType<VectorIndex[Method]>;
      calls += 1;
      if (WRITES.has(method)) writes += 1;
      if (writes >= writesAProcess || calls >= callsAProcess) retire();
      return answer;
    };

  return {
    ready: call('ready'),
    ensureCollection: call('ensureCollection'),
    upsert: call('upsert'),
    find: call('find'),
    findMany: call('findMany'),
    search: call('search'),
    remove: call('remove'),
    removePoints: call('removePoints'),
    count: call('count'),
    async close() {
      retire();
      await Promise.all(retiring);
    },
  };
}
