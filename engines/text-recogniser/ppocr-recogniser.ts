import { HostEnded } from '../hosts/host.ts';
import { createHostPool } from '../hosts/host-pool.ts';
import { createTaskHost, type TaskBudget } from '../hosts/task-host.ts';
import { usableModel } from '../models/catalogue.ts';
import { startModelThread } from '../onnx/run-guard.ts';
import { confidenceOf, isLegible, languageOf } from './choose-languages.ts';
import type { PpocrReply, PpocrRequest, TurnsReply, TurnsRequest } from './ppocr-thread.ts';
import {
  RecogniserClosed,
  RecogniserCrashed,
  RecogniserTimeout,
  type ReadableImage,
  type RecogniseOptions,
  type TextRecogniser,
} from './text-recogniser.ts';
import { textRegions, type RecognisedWord } from './text-regions.ts';

/** The folders of the models; undefined until those that read have been fetched. */
export function findTextModels(config: Parameters<typeof usableModel>[1]): PpocrModels | undefined {
  const detection = usableModel('text-detection', config);
  const recognition = usableModel('text-recognition', config);
  const quickRecognition = usableModel('quick-text-recognition', config);
  const orientation = usableModel('page-orientation', config);
  return detection === undefined || recognition === undefined
    ? undefined
    : { detection, recognition, quickRecognition, orientation };
}

type PpocrModels = Omit<PpocrRequest, 'image' | 'mostLines'> & { orientation: string | undefined };

export interface PpocrOptions {
  /** Folders of the models, as soon as those that read are there. */
  models: () => PpocrModels | undefined;
  /** Codes such as `eng`, of the languages that the fallback reads. */
  languages: readonly string[];
  /** Images read at the same time, each in a thread of its own. */
  slots: number;
  /** Reads what these models cannot: without them, and scripts that they do not know. Closed with this recogniser. */
  fallback: TextRecogniser;
  /** Budget of one image. */
  budget?: TaskBudget;
}

/** A page of small print takes some seconds. */
const IMAGE_BUDGET: TaskBudget = { cpuMs: 60_000 };
const MODULE = new URL('./ppocr-thread.ts', import.meta.url);
/** Languages whose scripts the models do not know. They read Latin and Greek letters, Chinese and Japanese. */
const UNKNOWN_TO_MODELS = new Set(
  'ara asm bel ben bul div fas guj heb hin hye kan kat kaz khm kir kor kur_ara lao mal mar mkd mon mya nep ori pan pus rus san sin snd srp syr tam tel tgk tha tir uig ukr urd uzb_cyrl yid'.split(
    ' ',
  ),
);
/** More are noise, and would take minutes. */
const MOST_LINES = 1000;
/** A few hundred letters, of which the language is recognised. */
const TELLING_LINES = 8;
/** Lines that are found but not legible in an image whose script may be another. */
const FEWEST_LINES = 3;

/**
 * Reads text with PP-OCR, which also reads signs, receipts and slanted text, and leaves other scripts, by their languages or
 * because lines are found but not legible, to the fallback.
 */
export function createPpocrRecogniser(options: PpocrOptions): TextRecogniser {
  const { models, languages, slots, fallback, budget = IMAGE_BUDGET } = options;
  const pool = createHostPool({ slots }, () =>
    createTaskHost<PpocrRequest | TurnsRequest, PpocrReply | TurnsReply>(
      startModelThread({ module: MODULE }),
      { idleBytes: Infinity },
    ),
  );
  const otherScripts = languages.filter((language) => UNKNOWN_TO_MODELS.has(language));
  const known = languages.filter((language) => !UNKNOWN_TO_MODELS.has(language));

  async function send(request: PpocrRequest | TurnsRequest, { tenantId, signal }: RecogniseOptions) {
    try {
      return await pool.run(tenantId, signal, (host, until) => host.run(request, budget, until));
    } catch (error) {
      if (!(error instanceof HostEnded)) throw error;
      throw error.why === 'time' ? new RecogniserTimeout(budget.cpuMs) : new RecogniserCrashed(error);
    }
  }

  /** Undefined if the models are not there, or do not run on this machine. */
  async function run(image: ReadableImage, mostLines: number, given: RecogniseOptions, isPage = false) {
    const found = models();
    if (!found) return undefined;
    const { detection, recognition } = found;
    // In small letters of screenshots, the quick model takes some for others without doubt.
    const quickRecognition = isPage ? found.quickRecognition : undefined;
    const reply = await send({ detection, recognition, quickRecognition, image, mostLines }, given);
    return 'found' in reply ? reply : undefined;
  }

  /** Undefined if the fallback is to read it, in the languages given or found. */
  async function readLines(
    image: ReadableImage,
    given: RecogniseOptions,
    { mostLines = MOST_LINES, isPage = false } = {},
  ) {
    const hints = languages.filter((language) => given.languages?.includes(language));
    if (hints.some((language) => UNKNOWN_TO_MODELS.has(language))) return undefined;
    const reply = await run(image, mostLines, given, isPage);
    if (!reply || hints.length > 0 || otherScripts.length === 0) return reply;
    const isOther = reply.found >= FEWEST_LINES && !isLegible(confidenceOf(reply.lines.flat()));
    if (!isOther) return reply;
    const found = await fallback.findLanguages(image, given);
    return found?.some((language) => UNKNOWN_TO_MODELS.has(language)) ? { ...reply, instead: found } : reply;
  }

  async function read<T>(
    image: ReadableImage,
    given: RecogniseOptions,
    use: (lines: RecognisedWord[][]) => T,
    otherwise: (options: RecogniseOptions) => Promise<T>,
    isPage = false,
  ): Promise<T> {
    const found = await readLines(image, given, { isPage });
    if (!found) return otherwise(given);
    return 'instead' in found ? otherwise({ ...given, languages: found.instead }) : use(found.lines);
  }

  return {
    async hasText(image, given) {
      const reply = await run(image, 0, given);
      return reply ? reply.found > 0 : fallback.hasText(image, given);
    },
    read: (image, given) =>
      read(
        image,
        given,
        (lines) => textRegions(lines, image),
        (hints) => fallback.read(image, hints),
      ),
    readWords: (image, given) =>
      read(
        image,
        given,
        (lines) => lines.flat(),
        (hints) => fallback.readWords(image, hints),
        true,
      ),
    async findTurns(image, given) {
      const orientation = models()?.orientation;
      const reply = orientation === undefined ? undefined : await send({ orientation, image }, given);
      return reply && 'turns' in reply ? reply.turns : undefined;
    },
    async findLanguages(image, given) {
      const found = await readLines(image, given, { mostLines: TELLING_LINES });
      if (!found || 'instead' in found) return found?.instead ?? fallback.findLanguages(image, given);
      const words = found.lines.flat();
      if (!isLegible(confidenceOf(words))) return undefined;
      const language = languageOf(words, known) ?? known[0];
      return language === undefined ? [] : [language];
    },
    async close() {
      await pool.close(new RecogniserClosed());
      await fallback.close();
    },
  };
}
