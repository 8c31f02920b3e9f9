import { createFairSlots } from '../../fair-slots.ts';
import { taskBudget, type TaskBudget } from '../../task-child.ts';
import { RecogniserClosed, RecogniserTimeout } from './errors.ts';
import { findLanguageData } from './language-data.ts';
import { startRecogniserThread, type RecogniserThread } from './recogniser-thread.ts';
import { textRegions } from './text-regions.ts';
import type { RecogniseOptions, TextRecogniser } from './text-recogniser.ts';

export interface TesseractOptions {
  /** Codes such as `eng`. */
  languages: readonly string[];
  /** Pictures read at the same time, each by an engine in a thread of its own: one per core. */
  slots: number;
  /** Of one picture. */
  budget?: TaskBudget;
}

/** A page of small print takes half a minute. */
const PICTURE_BUDGET = taskBudget(60_000);
const CHECK_MS = 500;

/**
 * A pool of Tesseract engines. Each starts on demand and is reused; one that was aborted, timed out or crashed is
 * discarded and replaced.
 *
 * @throws Error when the data of a language is not installed
 */
export function createTesseractRecogniser({
  languages,
  slots: count,
  budget = PICTURE_BUDGET,
}: TesseractOptions): TextRecogniser {
  const dataFolder = findLanguageData(languages);
  const slots = createFairSlots(count);
  const idle: RecogniserThread[] = [];
  const stop = new AbortController();

  async function withThread<T>(
    work: (thread: RecogniserThread) => Promise<T>,
    { tenantId, signal: cancelled }: RecogniseOptions,
  ): Promise<T> {
    const signal = AbortSignal.any([cancelled, stop.signal]);
    const releaseSlot = await slots.acquire(tenantId, signal);
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const onAbort = (): void => reject(signal.reason as Error);
    const timer = setTimeout(() => reject(new RecogniserTimeout(budget.cpuMs)), budget.wallMs);
    let checks: NodeJS.Timeout | undefined;
    signal.addEventListener('abort', onAbort, { once: true });
    const starting = idle.pop() ?? startRecogniserThread(languages, dataFolder());
    try {
      const thread = await Promise.race([starting, aborted]);
      const before = (await thread.cpuMs()) ?? 0;
      const check = async (): Promise<void> => {
        const now = (await thread.cpuMs()) ?? 0;
        if (now - before > budget.cpuMs) reject(new RecogniserTimeout(budget.cpuMs));
      };
      checks = setInterval(() => void check(), CHECK_MS);
      const result = await Promise.race([work(thread), aborted]);
      idle.push(thread);
      return result;
    } catch (error) {
      await Promise.resolve(starting).then(
        (thread) => thread.kill(),
        () => undefined,
      );
      throw error;
    } finally {
      clearTimeout(timer);
      clearInterval(checks);
      signal.removeEventListener('abort', onAbort);
      releaseSlot();
    }
  }

  return {
    hasText: (picture, options) =>
      withThread(async (thread) => (await thread.countLines(picture)) > 0, options),
    read: (picture, options) =>
      withThread(async (thread) => textRegions(await thread.readLines(picture), picture), options),
    readWords: (picture, options) =>
      withThread(async (thread) => {
        const lines = await thread.readLines(picture);
        return lines.flat().map(({ text, confidence, bbox }) => ({ text, confidence, bbox }));
      }, options),
    async close() {
      stop.abort(new RecogniserClosed());
      await Promise.all(idle.splice(0).map((thread) => thread.kill()));
    },
  };
}
