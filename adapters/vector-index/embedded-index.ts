import { createCallHost } from '../../engines/hosts/call-host.ts';
import { HostEnded, startProcess } from '../../engines/hosts/host.ts';
import type { LanceDbOptions } from './lancedb-index.ts';
import type { IndexMethod, IndexReply, IndexRequest } from './index-process.ts';
import { VectorIndexError, type VectorIndex } from './vector-index.ts';

const MODULE = new URL('./index-process.ts', import.meta.url);
/** A process that takes longer is considered hung and is killed. Rebuilding a page of the index takes a second. */
const ANSWERS_WITHIN_MS = 30_000;
/** Some millions of vectors. */
const MAINTAINED_WITHIN_MS = 60 * 60_000;
/** About 80 MB of memory that the library does not free, see createEmbeddedIndex. */
const WRITES_A_PROCESS = 1000;
const CALLS_A_PROCESS = 5000;
/** glibc keeps the buffers of a search for the next: getting some 20 MB from the kernel takes half of its time. */
const ENVIRONMENT = {
  MALLOC_MMAP_THRESHOLD_: String(32 * 1024 * 1024),
  MALLOC_TRIM_THRESHOLD_: String(128 * 1024 * 1024),
};
const WRITES: ReadonlySet<IndexMethod> = new Set(['upsert', 'remove', 'removePoints']);

/**
 * Vectors in a LanceDB folder, served by a separate process, which starts with the first call. LanceDB leaks about 80
 * KB per write (lance-format/lance#1983), and about 16 KB per search of data that others have written, so the process
 * is replaced after some writes or calls: the old one ends when it has answered. If it dies, its calls fail as
 * unavailable, and the next call starts another.
 *
 * @param options `writesAProcess` and `callsAProcess` before it is replaced
 */
export function createEmbeddedIndex({
  writesAProcess = WRITES_A_PROCESS,
  callsAProcess = CALLS_A_PROCESS,
  ...options
}: LanceDbOptions & { writesAProcess?: number; callsAProcess?: number }): VectorIndex {
  const hostWith = (answersWithinMs: number) =>
    createCallHost<IndexRequest, IndexReply>(
      () =>
        startProcess({
          module: MODULE,
          args: [JSON.stringify(options)],
          env: ENVIRONMENT,
          stderr: 'inherit',
        }),
      answersWithinMs,
    );
  const host = hostWith(ANSWERS_WITHIN_MS);
  // Of its own, so that it delays no call and is not replaced while it works.
  const maintaining = hostWith(MAINTAINED_WITHIN_MS);
  let writes = 0;
  let calls = 0;
  const retiring = new Set<Promise<void>>();

  function retire(): void {
    writes = 0;
    calls = 0;
    const ended = host.retire();
    retiring.add(ended);
    void ended.then(() => retiring.delete(ended));
  }

  async function ask(request: IndexRequest, asked = host): Promise<unknown> {
    const reply = await asked.call(request).catch((error: unknown) => {
      if (!(error instanceof HostEnded)) throw error;
      throw new VectorIndexError('VECTOR_INDEX_UNAVAILABLE', 'the process of the vector index ended', {
        cause: error,
      });
    });
    if ('result' in reply) return reply.result;
    const { code, message, detail } = reply.error;
    throw new VectorIndexError(code, message, { cause: new Error(detail) });
  }

  const call =
    <Method extends IndexMethod>(method: Method) =>
    (...args: Parameters<VectorIndex[Method]>) => {
      const answer = ask({ method, args }) as ReturnType<VectorIndex[Method]>;
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
    compare: call('compare'),
    search: call('search'),
    remove: call('remove'),
    removePoints: call('removePoints'),
    count: call('count'),
    drop: call('drop'),
    async maintain() {
      try {
        await ask({ method: 'maintain', args: [] }, maintaining);
      } finally {
        await maintaining.retire();
      }
    },
    async repair() {
      try {
        return (await ask({ method: 'repair', args: [] }, maintaining)) as boolean;
      } finally {
        // Not awaited: the process may be maintaining for long.
        void maintaining.retire();
      }
    },
    async close() {
      retire();
      // What it has begun is repeated by the next one.
      await Promise.all([...retiring, maintaining.kill()]);
    },
  };
}
