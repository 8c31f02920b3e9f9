import type { Worker as Thread } from 'node:worker_threads';
import type { Page, Worker } from 'tesseract.js';
import { type ReadableImage, RecogniserCrashed } from './text-recogniser.ts';
import type { RecognisedWord } from './text-regions.ts';

/** One engine in a thread of its own, which handles one image at a time and can be killed at any moment. */
export interface RecogniserThread {
  /** Reads in these languages from now on. Their data is loaded when they are first used, and then stays. */
  useLanguages(languages: readonly string[]): Promise<void>;
  /** Number of text lines in the detected layout. */
  countLines(image: ReadableImage): Promise<number>;
  /** The words of each line, block by block. */
  readLines(image: ReadableImage): Promise<RecognisedWord[][]>;
  /** Processor time in milliseconds since it began; undefined when it has ended. */
  cpuMs(): Promise<number | undefined>;
  /** Rejects the running task. */
  kill(): Promise<void>;
}

/** Half of small screen print, a third of a good scan; without a hint the engine complains about each image. */
const DPI = '150';

/**
 * Loads the engine and its languages from local files only, which takes about a second.
 *
 * @param languages to begin with
 * @param folder contains `CODE.traineddata.gz` of each language
 * @throws RecogniserCrashed when the engine does not start; later calls throw the same
 */
export async function startRecogniserThread(
  languages: readonly string[],
  folder: string,
): Promise<RecogniserThread> {
  let broken: RecogniserCrashed | undefined;
  const running = new Set<(reason: RecogniserCrashed) => void>();
  const fail = (cause: unknown): void => {
    broken ??= new RecogniserCrashed(cause);
    for (const reject of running) reject(broken);
  };
  // Not a race with one promise for all calls: that would keep the result of each until the thread ends.
  const unlessBroken = async <T>(work: Promise<T>): Promise<T> => {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    running.add(reject);
    // The engine rejects with a string, and reports it to `fail`, too.
    work.then(resolve, fail);
    if (broken) reject(broken);
    return promise.finally(() => running.delete(reject));
  };

  // Loaded here: with the models of the service, few images need it.
  const { createWorker, OEM, PSM } = await unlessBroken(import('tesseract.js'));
  const starting = createWorker([...languages], OEM.LSTM_ONLY, {
    langPath: folder,
    gzip: true,
    // Caching would leave unpacked data in the working directory.
    cacheMethod: 'none',
    // Without a handler, rejections are also thrown as uncaught; some start failures are reported only here.
    errorHandler: fail,
  });
  const worker = await unlessBroken(starting);
  // A thread killed by an exception reports it here; unhandled, it would end the process.
  threadOf(worker).on('error', fail);
  const setParameters = () =>
    unlessBroken(
      worker.setParameters({ tessedit_pageseg_mode: PSM.AUTO, user_defined_dpi: DPI }).then(() => undefined),
    );
  await setParameters();
  let used = languages.join('+');

  const recognise = async (image: ReadableImage, output: { blocks: true } | { layoutBlocks: true }) => {
    const wanted = { text: false, ...output };
    const { data } = await unlessBroken(worker.recognize(portableGreymap(image), {}, wanted));
    return data as Page & { layoutBlocks: Page['blocks'] };
  };
  return {
    async useLanguages(others) {
      const wanted = others.join('+');
      if (wanted === used) return;
      used = wanted;
      await unlessBroken(worker.reinitialize(wanted).then(() => undefined));
      await setParameters();
    },
    async countLines(image) {
      const { layoutBlocks } = await recognise(image, { layoutBlocks: true });
      return linesOf(layoutBlocks).length;
    },
    async readLines(image) {
      const { blocks } = await recognise(image, { blocks: true });
      return (blocks ?? []).flatMap((block, at) =>
        linesOf([block]).map(({ words }) =>
          words.map(({ text, confidence, bbox }) => ({ text, confidence, bbox, block: at })),
        ),
      );
    },
    async cpuMs() {
      const used = await threadOf(worker)
        .cpuUsage()
        .catch(() => undefined);
      return used && (used.user + used.system) / 1000;
    },
    async kill() {
      fail('killed');
      await worker.terminate();
    },
  };
}

/** Missing in the library's types. */
function threadOf(worker: Worker): Thread {
  return (worker as unknown as { worker: Thread }).worker;
}

function linesOf(blocks: Page['blocks']) {
  return (blocks ?? []).flatMap(({ paragraphs }) => paragraphs.flatMap(({ lines }) => lines));
}

/** The simplest format the engine accepts: a header, then the raw pixels. */
function portableGreymap({ data, width, height }: ReadableImage): Buffer {
  return Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`, 'latin1'), data]);
}
