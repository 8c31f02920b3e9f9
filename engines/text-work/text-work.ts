import { HostEnded, startThread } from '../hosts/host.ts';
import { createHostPool } from '../hosts/host-pool.ts';
import { createTaskHost, type TaskHost } from '../hosts/task-host.ts';
import { TextOverBudget, TextThreadCrashed, TextWorkClosed } from './errors.ts';
import type { Input, Result, TaskName } from './tasks.ts';

/** What a thread is asked, see thread.ts. */
export interface TextRequest<Name extends TaskName = TaskName> {
  task: Name;
  input: Input<Name>;
}

export type TextReply = { kind: 'done'; result: Result<TaskName> } | { kind: 'failed'; error: unknown };

export interface TextCall {
  /** For fair sharing of the threads. */
  tenantId: string;
  signal: AbortSignal;
}

/**
 * Work on text whose length and content tenants choose, see tasks.ts: divided, tokenised, matched and cited in threads,
 * never in one that serves others. Each method throws TextOverBudget, which is final, for a text that needs too much
 * CPU time or memory; TextThreadCrashed; and the reason of the signal, which stops the work at once.
 */
export type TextWork = {
  [Name in TaskName]: (input: Input<Name>, call: TextCall) => Promise<Result<Name>>;
} & { close(): Promise<void> };

export interface TextWorkOptions {
  maxHeapBytes?: number;
  /** A thread with a larger heap after a text is replaced. It has about 100 MB when what documents need is loaded. */
  idleHeapBytes?: number;
  /** Concurrent texts of one tenant: one per core. */
  slots: number;
  /** CPU time per text, and per character. */
  budget?: { baseMs: number; msPerCharacter: number };
}

const MIB = 2 ** 20;
const MODULE = new URL('./thread.ts', import.meta.url);
/**
 * A million characters of prose take 6 s to divide on an idle core, and 15 s to find 100 values in; slow cores take
 * three times as long.
 */
const DEFAULT_BUDGET = { baseMs: 10_000, msPerCharacter: 0.03 };
/** No limit in practice: a stopped worker must not fail a text permanently. */
const DAY_MS = 24 * 3_600_000;

/** Threads start on demand and are reused, so that a short text does not wait for a start. */
export function createTextWork({
  slots,
  budget = DEFAULT_BUDGET,
  maxHeapBytes = 1024 * MIB,
  idleHeapBytes = 160 * MIB,
}: TextWorkOptions): TextWork {
  const resourceLimits = { maxOldGenerationSizeMb: Math.ceil(maxHeapBytes / MIB) };
  const pool = createHostPool({ slots }, (): TaskHost<TextRequest, TextReply> =>
    createTaskHost(startThread({ module: MODULE, resourceLimits }), { idleBytes: idleHeapBytes }),
  );

  const task =
    <Name extends TaskName>(name: Name) =>
    async (input: Input<Name>, { tenantId, signal }: TextCall): Promise<Result<Name>> => {
      const cpuMs = budget.baseMs + charactersOf(input) * budget.msPerCharacter;
      const reply = await pool
        .run(tenantId, signal, (thread, until) =>
          thread.run({ task: name, input }, { cpuMs, wallMs: DAY_MS }, until),
        )
        .catch((error: unknown) => {
          if (!(error instanceof HostEnded)) throw error;
          if (error.why === 'crash') throw new TextThreadCrashed(error);
          throw new TextOverBudget(error.why === 'memory' ? 'too_large' : 'took_too_long');
        });
      if (reply.kind === 'failed') throw reply.error;
      return reply.result as Result<Name>;
    };

  return {
    settleDocument: task('settleDocument'),
    extentOfPages: task('extentOfPages'),
    sumUpDocument: task('sumUpDocument'),
    layOutWords: task('layOutWords'),
    layoutProblems: task('layoutProblems'),
    arrangeLines: task('arrangeLines'),
    extractLocally: task('extractLocally'),
    checkAnswer: task('checkAnswer'),
    finishExtraction: task('finishExtraction'),
    checkSentences: task('checkSentences'),
    findCandidates: task('findCandidates'),
    citeQuotes: task('citeQuotes'),
    readManifest: task('readManifest'),
    signsOfPages: task('signsOfPages'),
    proposeParts: task('proposeParts'),
    close: () => pool.close(new TextWorkClosed()),
  };
}

/** Number of characters of all texts in a value. */
function charactersOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return 0;
  return Object.values(value).reduce<number>((sum, each) => sum + charactersOf(each), 0);
}
