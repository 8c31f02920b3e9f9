import { createSemaphore } from '../../semaphore.ts';
import { RecogniserClosed, RecogniserTimeout } from './errors.ts';
import { findLanguageData } from './language-data.ts';
import { startRecogniserThread, type RecogniserThread } from './recogniser-thread.ts';
import { textRegions } from './text-regions.ts';
import type { TextRecogniser } from './text-recogniser.ts';

export interface TesseractOptions {
  /** Codes such as `eng`. */
  languages: readonly string[];
  /** Pictures read at the same time, each by an engine in a thread of its own: one per core. */
  slots: number;
  timeoutMs?: number;
}

/** A page of small print takes half a minute on an idle core; the rest allows for load. */
const DEFAULT_TIMEOUT_MS = 180_000;

/**
 * A pool of Tesseract engines. Each starts on demand and is reused; one that was aborted, timed out or crashed is
 * discarded and replaced.
 *
 * @throws Error when the data of a language is not installed
 */
export function createTesseractRecogniser({
  languages,
  slots: count,
  timeoutMs = DEFAULT_TIMEOUT_MS,
}: TesseractOptions): TextRecogniser {
  const dataFolder = findLanguageData(languages);
  const slots = createSemaphore(count);
  const idle: RecogniserThread[] = [];
  const stop = new AbortController();

  async function withThread<T>(
    work: (thread: RecogniserThread) => Promise<T>,
    cancelled: AbortSignal,
  ): Promise<T> {
    const signal = AbortSignal.any([cancelled, stop.signal]);
    await slots.acquire(signal);
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const onAbort = (): void => reject(signal.reason as Error);
    const timer = setTimeout(() => reject(new RecogniserTimeout(timeoutMs)), timeoutMs);
    signal.addEventListener('abort', onAbort, { once: true });
    const starting = idle.pop() ?? startRecogniserThread(languages, dataFolder());
    try {
      const thread = await Promise.race([starting, aborted]);
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
      signal.removeEventListener('abort', onAbort);
      slots.release();
    }
  }

  return {
    hasText: (picture, { signal }) =>
      withThread(async (thread) => (await thread.countLines(picture)) > 0, signal),
    read: (picture, { signal }) =>
      withThread(async (thread) => textRegions(await thread.readLines(picture), picture), signal),
    readWords: (picture, { signal }) =>
      withThread(async (thread) => {
        const lines = await thread.readLines(picture);
        return lines.flat().map(({ text, confidence, bbox }) => ({ text, confidence, bbox }));
      }, signal),
    async close() {
      stop.abort(new RecogniserClosed());
      await Promise.all(idle.splice(0).map((thread) => thread.kill()));
    },
  };
}
