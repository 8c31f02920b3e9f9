import { TextWorkClosed } from './errors.ts';
import type { Input, Result, TaskName } from './tasks.ts';
import { startTextThread, type TextThread, type ThreadLimits } from './text-thread.ts';
import { createTurns } from './turns.ts';

/** For whom text is worked on. */
export interface TextCall {
  /** Threads are shared out among tenants. */
  tenantId: string;
  signal: AbortSignal;
}

/**
 * Work on text whose length and content tenants choose, see tasks.ts: divided, tokenised, matched and cited in threads, never
 * in one that serves others. Each throws TextOverBudget, final, for a text that takes too much CPU time or memory;
 * TextThreadCrashed; and the reason of the signal, with which the work ends at once.
 */
export type TextWork = {
  [Name in TaskName]: (input: Input<Name>, call: TextCall) => Promise<Result<Name>>;
} & { close(): Promise<void> };

export interface TextWorkOptions extends Partial<ThreadLimits> {
  /** Texts of one tenant at the same time: one per core. There is one thread more, for others. */
  slots: number;
  /** CPU time for any text, and for each character more. */
  budget?: { baseMs: number; msPerCharacter: number };
}

const MIB = 2 ** 20;
const DEFAULT_LIMITS: ThreadLimits = { maxHeapBytes: 1024 * MIB, idleHeapBytes: 96 * MIB };
/**
 * A million characters of prose take 6 s to divide on an idle core, and 15 s to find 100 values in; slow cores take three times
 * as long.
 */
const DEFAULT_BUDGET = { baseMs: 10_000, msPerCharacter: 0.03 };

/** Threads start on demand and are reused, so that a short text does not wait for one. */
export function createTextWork({ slots, budget = DEFAULT_BUDGET, ...limits }: TextWorkOptions): TextWork {
  const turns = createTurns(slots + 1);
  const threads = new Set<TextThread>();
  const idle: TextThread[] = [];
  const stop = new AbortController();

  function acquire(): TextThread {
    for (let thread = idle.pop(); thread; thread = idle.pop()) {
      if (thread.isFit()) return thread;
      threads.delete(thread);
    }
    const fresh = startTextThread({ ...DEFAULT_LIMITS, ...limits });
    threads.add(fresh);
    return fresh;
  }

  async function release(thread: TextThread): Promise<void> {
    if (thread.isFit()) return void idle.push(thread);
    await thread.end();
    threads.delete(thread);
  }

  const task =
    <Name extends TaskName>(name: Name) =>
    async (input: Input<Name>, { tenantId, ...call }: TextCall): Promise<Result<Name>> => {
      const signal = AbortSignal.any([stop.signal, call.signal]);
      await turns.take(tenantId, signal);
      try {
        const thread = acquire();
        try {
          const cpuMs = budget.baseMs + charactersOf(input) * budget.msPerCharacter;
          return (await thread.run({ task: name, input }, { cpuMs, signal })) as Result<Name>;
        } finally {
          await release(thread);
        }
      } finally {
        turns.give(tenantId);
      }
    };

  return {
    settleDocument: task('settleDocument'),
    sumUpDocument: task('sumUpDocument'),
    layOutWords: task('layOutWords'),
    layoutProblems: task('layoutProblems'),
    arrangeLines: task('arrangeLines'),
    extractLocally: task('extractLocally'),
    checkAnswer: task('checkAnswer'),
    finishExtraction: task('finishExtraction'),
    async close() {
      stop.abort(new TextWorkClosed());
      await Promise.all([...threads].map((thread) => thread.end()));
    },
  };
}

/** Of all texts in a value. */
function charactersOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return 0;
  return Object.values(value).reduce<number>((sum, each) => sum + charactersOf(each), 0);
}
