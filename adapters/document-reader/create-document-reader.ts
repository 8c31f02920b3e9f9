import { copyFile, link, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { HostEnded } from '../hosts/host.ts';
import type { ProcessPool, ProcessPoolOptions } from '../hosts/process-pool.ts';
import type { TaskBudget, TaskHost } from '../hosts/task-host.ts';
import type { DocumentType } from '../../domain/documents/document-type.ts';
import {
  type DocumentReader,
  type DocumentSource,
  ReaderClosed,
  ReaderCrashed,
  UnreadableDocument,
} from './document-reader.ts';
import { markdownBudgetMs } from './limits.ts';
import type { ReadReply, ReadRequest, TaskName, Tasks } from './reader-process.ts';

/** Size of a task: the document, and the number of pages that it reads. */
export interface ReadingSize {
  type: DocumentType;
  bytes: number;
  pages: number;
}

export interface DocumentReaderOptions {
  /** Documents read at the same time, each in its own process: one per core. */
  slots: number;
  /** Starts and limits the processes, see `createProcessPool`. */
  createPool: (options: ProcessPoolOptions) => ProcessPool<ReadRequest, ReadReply>;
  budget?: (size: ReadingSize) => TaskBudget;
  /** Limit of the engine's own heap. */
  maxHeapBytes?: number;
  /** Limit of the whole process; a task that takes more is ended. */
  maxRssBytes?: number;
  /** A child above this is replaced before its next task. */
  maxIdleRssBytes?: number;
}

const MODULE = new URL('./reader-process.ts', import.meta.url);
const MIB = 2 ** 20;
const MAX_HEAP_BYTES = 1024 * MIB;
const MAX_RSS_BYTES = 2048 * MIB;
const MAX_TASKS = 2_000;
const MAX_IDLE_RSS_BYTES = 500 * MIB;

/** A page of text takes 10 ms to inspect, one full of drawings several times as much. */
const PAGE_MS = 30;
/** Minimum size of a real page; a document may reference one page ten thousand times. */
const LEAST_BYTES_A_PAGE = 512;

/** The XML of an office document with long tables unpacks to forty times its size, and takes 1.5 s per MiB. */
const archiveBudgetMs = (bytes: number): number => 1_500 * Math.min(20, (40 * bytes) / MIB);
const ARCHIVES: ReadonlySet<DocumentType> = new Set(['docx', 'xlsx', 'pptx', 'epub']);

/** Five seconds, one per MiB, a share per page that the bytes can hold, and the structure limit of the type. */
export function readingBudget({ type, bytes, pages }: ReadingSize): TaskBudget {
  const paid = Math.min(pages, bytes / LEAST_BYTES_A_PAGE);
  const structure = type === 'md' ? markdownBudgetMs(bytes) : ARCHIVES.has(type) ? archiveBudgetMs(bytes) : 0;
  return { cpuMs: 5_000 + (1000 * bytes) / MIB + PAGE_MS * paid + structure };
}

/** Children start on demand and are reused; one that has died or reached a limit is replaced. */
export function createDocumentReader({
  slots,
  createPool,
  budget = readingBudget,
  maxHeapBytes = MAX_HEAP_BYTES,
  maxRssBytes = MAX_RSS_BYTES,
  maxIdleRssBytes = MAX_IDLE_RSS_BYTES,
}: DocumentReaderOptions): DocumentReader {
  const pool = createPool({
    slots,
    module: MODULE,
    execArgv: [`--max-old-space-size=${Math.floor(maxHeapBytes / MIB)}`, '--stack-size=900'],
    // V8 prints pages about a full heap; the exit status suffices.
    stderr: 'ignore',
    contained: { readsFiles: true },
    maxBytes: maxRssBytes,
    maxTasks: MAX_TASKS,
    idleBytes: maxIdleRssBytes,
  });
  /** The last file that a process read and may still have open. */
  const lastPaths = new WeakMap<TaskHost<ReadRequest, ReadReply>, string>();

  /** Runs tasks of one document one after the other, preferably in the child that has it open. */
  async function withChild<T>(
    source: DocumentSource,
    aborted: AbortSignal,
    use: (
      run: <Name extends TaskName>(
        task: Name,
        input: Tasks[Name]['input'],
        pages: number,
      ) => Promise<Tasks[Name]['result']>,
    ) => Promise<T>,
  ): Promise<T> {
    const { path, type, tenantId } = source;
    const { size: bytes } = await stat(path);
    return pool.run(
      tenantId,
      aborted,
      (child, signal) => {
        lastPaths.set(child, path);
        return placed(path, child.folder, (placedAt) =>
          use(async (task, input, pages) => {
            const request = { task, source: { path: placedAt, type }, input } as ReadRequest;
            const allowed = budget({ type, bytes, pages });
            const reply = await child.run(request, allowed, signal).catch((error: unknown) => {
              throw explainEnd(error, allowed);
            });
            if (reply.kind === 'unreadable') throw new UnreadableDocument(reply.reason, reply.message);
            if (reply.kind === 'failed') throw new Error(reply.message);
            return reply.result;
          }),
        );
      },
      (child) => lastPaths.get(child) === path,
    );
  }

  return {
    inspect: (source, signal) =>
      withChild(source, signal, async (run) => {
        const { pageCount } = await run('open', {}, 0);
        return run('inspect', {}, pageCount);
      }),
    readPages: (source, profile, pageNumbers, signal, linesBelow) =>
      withChild(source, signal, (run) =>
        run('readPages', { profile, pageNumbers, linesBelow }, pageNumbers.length),
      ),
    renderPage: (source, pageNumber, signal) =>
      withChild(source, signal, (run) => run('renderPage', { pageNumber }, 1)),
    showPage: (source, page, signal) => withChild(source, signal, (run) => run('showPage', page, 1)),
    close: () => pool.close(new ReaderClosed()),
  };
}

/** Calls `use` with the document in the folder of a child, which can read no other: a link, or else a copy. */
async function placed<T>(
  path: string,
  folder: string | undefined,
  use: (path: string) => Promise<T>,
): Promise<T> {
  if (folder === undefined) return use(path);
  const target = join(folder, basename(path));
  await link(path, target).catch(() => copyFile(path, target));
  try {
    return await use(target);
  } finally {
    await rm(target, { force: true });
  }
}

function explainEnd(error: unknown, { cpuMs }: TaskBudget): unknown {
  if (!(error instanceof Error && error.name === 'HostEnded')) return error;
  const { why, exitCode, signal } = error as HostEnded;
  // V8 aborts when its heap is full.
  const heapIsFull = why === 'crash' && (signal === 'SIGABRT' || exitCode === 134);
  if (heapIsFull || why === 'memory')
    return new UnreadableDocument('too_large', 'The document needs too much memory to be read.');
  if (why === 'crash') return new ReaderCrashed(exitCode, signal);
  const seconds = Math.round(cpuMs / 1000);
  return new UnreadableDocument('took_too_long', `Not read within ${seconds} s of processor time.`);
}
