import { traced } from '../../domain/tracing.ts';
import { HostEnded } from '../hosts/host.ts';
import { createHostPool, type PooledHost } from '../hosts/host-pool.ts';
import { watchTask, type TaskBudget } from '../hosts/task-host.ts';
import { readInItsLanguage, type ReadText } from './choose-languages.ts';
import {
  type ReadableImage,
  type RecogniseOptions,
  RecogniserClosed,
  RecogniserTimeout,
  type TextRecogniser,
} from './text-recogniser.ts';
import { findLanguageData } from './language-data.ts';
import { startRecogniserThread, type RecogniserThread } from './recogniser-thread.ts';
import { textRegions } from './text-regions.ts';

export interface TesseractOptions {
  /** Codes such as `eng`: the first is tried first. */
  languages: readonly string[];
  /** Images read at the same time, each by an engine in a thread of its own: one per core. */
  slots: number;
  /** Budget of one image. */
  budget?: TaskBudget;
}

/** A page of small print takes half a minute. */
const IMAGE_BUDGET: TaskBudget = { cpuMs: 60_000 };

/**
 * A pool of Tesseract engines. Each starts on demand and is reused; one that was aborted, timed out or crashed is
 * discarded and replaced.
 *
 * @throws Error when the data of a language is not installed
 */
export function createTesseractRecogniser({
  languages,
  slots,
  budget = IMAGE_BUDGET,
}: TesseractOptions): TextRecogniser {
  const dataFolder = findLanguageData(languages);
  const pool = createHostPool({ slots }, () => startEngine(languages.slice(0, 1), dataFolder()));
  const withThread = <T>(
    work: (thread: RecogniserThread) => Promise<T>,
    { tenantId, signal }: RecogniseOptions,
  ): Promise<T> => pool.run(tenantId, signal, (engine, until) => engine.run(work, budget, until));

  const readText = (image: ReadableImage, options: RecogniseOptions): Promise<ReadText> => {
    // Each reading has a budget of its own.
    const readIn = (wanted: readonly string[]) =>
      withThread(async (thread) => {
        await thread.useLanguages(wanted);
        return thread.readLines(image);
      }, options);
    const given = languages.filter((language) => options.languages?.includes(language));
    return readInItsLanguage(languages, readIn, given);
  };

  return {
    hasText: (image, options) => withThread(async (thread) => (await thread.countLines(image)) > 0, options),
    read: async (image, options) => textRegions((await readText(image, options)).lines, image),
    readWords: async (image, options) => (await readText(image, options)).lines.flat(),
    findTurns: () => Promise.resolve(undefined),
    async findLanguages(image, options) {
      const { languages: found, legible } = await readText(image, options);
      return legible ? found : undefined;
    },
    close: () => pool.close(new RecogniserClosed()),
  };
}

interface Engine extends PooledHost {
  /** Any error thrown by the work ends the engine. */
  run<T>(work: (thread: RecogniserThread) => Promise<T>, budget: TaskBudget, signal: AbortSignal): Promise<T>;
}

/** The library starts its engine's thread itself, so this is no Host, but its tasks have the same kind of budget. */
function startEngine(languages: readonly string[], folder: string): Engine {
  const starting = startRecogniserThread(languages, folder);
  // Awaited by the caller of each task.
  starting.catch(() => undefined);
  let fit = true;
  return {
    isFit: () => fit,
    async kill() {
      fit = false;
      await starting.then(
        (thread) => thread.kill(),
        () => undefined,
      );
    },
    run: (work, budget, signal) => traced('thread tesseract', () => run(work, budget, signal)),
  };

  async function run<T>(
    work: (thread: RecogniserThread) => Promise<T>,
    budget: TaskBudget,
    signal: AbortSignal,
  ): Promise<T> {
    const over = Promise.withResolvers<never>();
    // Nothing is counted before the thread has started.
    let use = (): Promise<number | undefined> => Promise.resolve(undefined);
    const stop = watchTask({
      async use() {
        const cpuMs = await use();
        return cpuMs === undefined ? undefined : { cpuMs, bytes: 0 };
      },
      before: 0,
      budget,
      signal,
      onOver: (reason) =>
        over.reject(reason instanceof HostEnded ? new RecogniserTimeout(budget.cpuMs) : reason),
    });
    try {
      const thread = await Promise.race([starting, over.promise]);
      const before = (await thread.cpuMs()) ?? 0;
      use = async () => {
        const now = await thread.cpuMs();
        return now === undefined ? undefined : now - before;
      };
      return await Promise.race([work(thread), over.promise]);
    } catch (error) {
      fit = false;
      throw error;
    } finally {
      stop();
    }
  }
}
