import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { UnreadableDocument, type DocumentSource } from '../document-reader.ts';
import { ReaderCrashed } from '../errors.ts';
import type { ReadReply, TaskName, Tasks } from './messages.ts';

/** One child process, which handles one task at a time. */
export interface ReaderChild {
  /** Rejects with `UnreadableDocument`, or `ReaderCrashed` or the abort reason, which end the child. */
  run<Name extends TaskName>(task: ReaderTask<Name>, options: RunOptions): Promise<Tasks[Name]['result']>;
  /** The file that it read last, and may still have open. */
  lastPath(): string | undefined;
  /** Alive, and within its limits for tasks and memory. */
  isFit(): boolean;
  /** Resolves when the process has exited. */
  kill(): Promise<void>;
}

export interface ReaderTask<Name extends TaskName> {
  task: Name;
  source: DocumentSource;
  input: Tasks[Name]['input'];
}

export interface RunOptions {
  timeoutMs: number;
  /** Aborting kills the child and rejects with the reason. */
  signal: AbortSignal;
}

export interface ReaderChildLimits {
  /** Of the engine's own heap. */
  maxHeapBytes: number;
  /** Of the whole process; a task that takes more is ended. */
  maxRssBytes: number;
  /** A child is replaced after this many tasks or above this memory, because decoders do not free everything. */
  maxTasks: number;
  idleRssBytes: number;
}

const ENTRY = fileURLToPath(new URL('./child.ts', import.meta.url));
const MIB = 2 ** 20;
const PAGE_BYTES = 4096;
const MEMORY_CHECK_MS = 200;
/** Nothing of the parent's environment, which has keys. Two arenas keep glibc from hoarding freed memory per thread. */
const ENVIRONMENT = { MALLOC_ARENA_MAX: '2' };

export function startReaderChild(limits: ReaderChildLimits): ReaderChild {
  const child = fork(ENTRY, [], {
    serialization: 'advanced',
    execArgv: [`--max-old-space-size=${Math.floor(limits.maxHeapBytes / MIB)}`, '--stack-size=900'],
    env: ENVIRONMENT,
    // V8 writes pages about a full heap; the exit says it.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  let alive = true;
  let tasks = 0;
  let lastPath: string | undefined;
  let rssBytes = 0;
  child.once('exit', () => (alive = false));
  // A process that could not be started emits no exit event.
  child.on('error', () => (alive = false));

  return {
    async run(task, { timeoutMs, signal }) {
      signal.throwIfAborted();
      lastPath = task.source.path;
      let killedFor: Error | undefined;
      const kill = (reason: Error): void => {
        killedFor ??= reason;
        child.kill('SIGKILL');
      };
      const onAbort = (): void => kill(signal.reason as Error);
      const timer = setTimeout(
        () => kill(new UnreadableDocument('took_too_long', `Not read within ${timeoutMs / 1000} s.`)),
        timeoutMs,
      );
      const checkMemory = async (): Promise<void> => {
        rssBytes = await residentBytes(child.pid);
        if (rssBytes > limits.maxRssBytes)
          kill(new UnreadableDocument('too_large', 'The document needs too much memory to be read.'));
      };
      const memory = setInterval(() => void checkMemory(), MEMORY_CHECK_MS);
      signal.addEventListener('abort', onAbort, { once: true });
      const settled = new AbortController();
      try {
        const answer = once(child, 'message', { signal: settled.signal });
        const death = once(child, 'exit', { signal: settled.signal });
        child.send(task, (error) => error && kill(error));
        const reply = await Promise.race([
          answer.then(([reply]) => reply as ReadReply),
          death.then(([code, name]) => Promise.reject(killedFor ?? explainDeath(code, name))),
        ]);
        tasks += 1;
        rssBytes = await residentBytes(child.pid);
        return unwrap(reply);
      } finally {
        settled.abort();
        clearTimeout(timer);
        clearInterval(memory);
        signal.removeEventListener('abort', onAbort);
      }
    },
    lastPath: () => lastPath,
    isFit: () => alive && tasks < limits.maxTasks && rssBytes <= limits.idleRssBytes,
    async kill() {
      if (!alive) return;
      const death = once(child, 'exit');
      child.kill('SIGKILL');
      await death;
    },
  };
}

/** V8 aborts when its heap is full. */
function explainDeath(code: number | null, signal: NodeJS.Signals | null): Error {
  if (signal === 'SIGABRT' || code === 134)
    return new UnreadableDocument('too_large', 'The document needs too much memory to be read.');
  return new ReaderCrashed(code, signal);
}

/** Linux only; elsewhere the limit of the heap alone holds. */
async function residentBytes(pid: number | undefined): Promise<number> {
  const statm = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '');
  return Number(statm.split(' ')[1] ?? 0) * PAGE_BYTES;
}

function unwrap(reply: ReadReply): Tasks[TaskName]['result'] {
  if (reply.kind === 'done') return reply.result;
  if (reply.kind === 'unreadable') throw new UnreadableDocument(reply.reason, reply.message);
  throw new Error(reply.message);
}
