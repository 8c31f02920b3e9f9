import { createChildPool } from '../child-pool.ts';
import type { DocumentReader, DocumentSource } from './document-reader.ts';
import { ReaderClosed } from './errors.ts';
import type { TaskName, Tasks } from './process/messages.ts';
import { startReaderChild, type ReaderChildLimits } from './process/reader-child.ts';

export interface DocumentReaderOptions extends Partial<ReaderChildLimits> {
  /** Documents read at the same time, each in its own process: one per core. */
  slots: number;
  /** For a task; larger ones get more, see `deadlineOf`. */
  timeoutMs?: number;
}

const MIB = 2 ** 20;
const DEFAULT_LIMITS: ReaderChildLimits = {
  maxHeapBytes: 1024 * MIB,
  maxRssBytes: 2048 * MIB,
  maxTasks: 2_000,
  idleRssBytes: 500 * MIB,
};
/** Ten thousand pages of text take about a minute and a half to inspect on an idle core; the rest allows for load. */
const DEFAULT_TIMEOUT_MS = 300_000;

/** Children start on demand and are reused; one that has died or reached a limit is replaced. */
export function createDocumentReader({
  slots,
  timeoutMs = DEFAULT_TIMEOUT_MS,
  ...limits
}: DocumentReaderOptions): DocumentReader {
  const pool = createChildPool(slots, () => startReaderChild({ ...DEFAULT_LIMITS, ...limits }));

  /** Rather by the child that has the document open. */
  function run<Name extends TaskName>(
    task: Name,
    source: DocumentSource,
    input: Tasks[Name]['input'],
    aborted: AbortSignal,
  ): Promise<Tasks[Name]['result']> {
    return pool.run(
      aborted,
      (child, signal) => child.run({ task, source, input }, { timeoutMs, signal }),
      (child) => child.lastPath() === source.path,
    );
  }

  return {
    inspect: (source, signal) => run('inspect', source, {}, signal),
    readPages: (source, profile, pageNumbers, signal) =>
      run('readPages', source, { profile, pageNumbers }, signal),
    renderPage: (source, pageNumber, signal) => run('renderPage', source, { pageNumber }, signal),
    showPage: (source, page, signal) => run('showPage', source, page, signal),
    close: () => pool.close(new ReaderClosed()),
  };
}
