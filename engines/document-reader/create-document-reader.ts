import { copyFile, link, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { UnreadableDocument } from 'darkroom-reader';
import type { HostEnded } from '../hosts/host.ts';
import type { ProcessPool, ProcessPoolOptions } from '../hosts/process-pool.ts';
import type { TaskBudget, TaskHost } from '../hosts/task-host.ts';
import { type DocumentReader, type DocumentSource, ReaderClosed, ReaderCrashed } from './document-reader.ts';
import type { ReadReply, ReadRequest, TaskName, Tasks } from './reader-process.ts';
import { createRunCharges, readingBudget, type ReadingSize, totalBudgetMs } from './reading-budget.ts';

export interface DocumentReaderOptions {
  /** Documents read at the same time, each in its own process: one per core. */
  slots: number;
  /** Starts and limits the processes, see `createProcessPool`. */
  createPool: (options: ProcessPoolOptions) => ProcessPool<ReadRequest, ReadReply>;
  budget?: (size: ReadingSize) => TaskBudget;
  /** Of all tasks of a run, in milliseconds. */
  total?: (size: ReadingSize) => number;
  /** Limit of the engine's own heap. */
  maxHeapBytes?: number;
  /** Limit of the whole process; a task that takes more is ended. */
  maxRssBytes?: number;
  /** A child above this is replaced before its next task. */
  maxIdleRssBytes?: number;
}

const MODULE = new URL('./reader-process.ts', import.meta.url);
/** Flag of Node for a reader, which compiled code depends on. */
export const READER_STACK = '--stack-size=900';
const MIB = 2 ** 20;
const MAX_HEAP_BYTES = 1024 * MIB;
const MAX_RSS_BYTES = 2048 * MIB;
const MAX_TASKS = 2_000;
const MAX_IDLE_RSS_BYTES = 500 * MIB;

/** Children start on demand and are reused; one that has died or reached a limit is replaced. */
export function createDocumentReader({
  slots,
  createPool,
  budget = readingBudget,
  total = totalBudgetMs,
  maxHeapBytes = MAX_HEAP_BYTES,
  maxRssBytes = MAX_RSS_BYTES,
  maxIdleRssBytes = MAX_IDLE_RSS_BYTES,
}: DocumentReaderOptions): DocumentReader {
  const pool = createPool({
    slots,
    module: MODULE,
    execArgv: [`--max-old-space-size=${Math.floor(maxHeapBytes / MIB)}`, READER_STACK],
    // V8 prints pages about a full heap; the exit status suffices.
    stderr: 'ignore',
    contained: { readsFiles: true },
    maxBytes: maxRssBytes,
    maxTasks: MAX_TASKS,
    idleBytes: maxIdleRssBytes,
  });
  const charges = createRunCharges(total);
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
    const { path, type, tenantId, run } = source;
    const { size: bytes } = await stat(path);
    return pool.run(
      tenantId,
      aborted,
      (child, signal) => {
        lastPaths.set(child, path);
        return placed(path, child.folder, (placedAt) =>
          use(async (task, input, pages) => {
            const request = { task, source: { path: placedAt, type }, input } as ReadRequest;
            const ofTask = budget({ type, bytes, pages });
            const leftMs = charges.leftMs(run, { type, bytes });
            if (leftMs <= 0) throw budgetSpent();
            const allowed = { ...ofTask, cpuMs: Math.min(ofTask.cpuMs, leftMs) };
            const reply = await child.run(request, allowed, signal).catch((error: unknown) => {
              charges.charge(run, child.lastTaskMs());
              throw explainEnd(error, ofTask, allowed);
            });
            charges.charge(run, child.lastTaskMs(), 'pageCount' in reply ? reply.pageCount : undefined);
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
        const { pageCount, openingMs } = await run('open', {}, 0);
        const facts = await run('inspect', {}, pageCount);
        return { ...facts, profile: { ...facts.profile, openingMs } };
      }),
    readPages: (source, profile, pageNumbers, signal, linesBelow) =>
      withChild(source, signal, (run) =>
        run('readPages', { profile, pageNumbers, linesBelow }, pageNumbers.length),
      ),
    readAttachment: (source, index, signal) =>
      withChild(source, signal, (run) => run('readAttachment', { index }, 1)),
    pagePicture: (source, pageNumber, signal) =>
      withChild(source, signal, (run) => run('pagePicture', { pageNumber }, 1)),
    pageLooks: (source, pageNumbers, signal) =>
      withChild(source, signal, (run) => run('pageLooks', { pageNumbers }, pageNumbers.length)),
    extractPages: (source, pages, signal) =>
      withChild(source, signal, (run) => run('extractPages', pages, pages.last - pages.first + 1)),
    renderPage: (source, pageNumber, signal) =>
      withChild(source, signal, (run) => run('renderPage', { pageNumber }, 1)),
    showPage: (source, page, signal) => withChild(source, signal, (run) => run('showPage', page, 1)),
    drawPage: (source, page, signal) => withChild(source, signal, (run) => run('drawPage', page, 1)),
    cover: (source, signal) => withChild(source, signal, (run) => run('cover', {}, 0)),
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

const budgetSpent = (): UnreadableDocument =>
  new UnreadableDocument(
    'budget_spent',
    'The document has used the processor time that reading it may take in total.',
  );

function explainEnd(error: unknown, { cpuMs }: TaskBudget, allowed: TaskBudget): unknown {
  if (!(error instanceof Error && error.name === 'HostEnded')) return error;
  const { why, exitCode, signal } = error as HostEnded;
  // V8 aborts when its heap is full.
  const heapIsFull = why === 'crash' && (signal === 'SIGABRT' || exitCode === 134);
  if (heapIsFull || why === 'memory')
    return new UnreadableDocument('too_large', 'The document needs too much memory to be read.');
  if (why === 'crash') return new ReaderCrashed(exitCode, signal);
  if (allowed.cpuMs < cpuMs) return budgetSpent();
  const seconds = Math.round(cpuMs / 1000);
  return new UnreadableDocument('took_too_long', `Not read within ${seconds} s of processor time.`);
}
