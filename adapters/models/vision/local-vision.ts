import type { ContentCategory } from '../../../domain/content-categories.ts';
import type { TextRegion } from '../../../domain/image-analysis.ts';
import { LOCAL_PROVIDER } from '../../../domain/structured-extraction/extraction.ts';
import { NO_TOKENS } from '../../../domain/token-usage.ts';
import { ModelError } from '../model-error.ts';
import { cleanTags, cleanText } from './vision-answer.ts';
import { describeMeasurements, isScan, mainColours } from './describe-measurements.ts';
import type { ModelWork } from './model-work.ts';
import { isPageOfText, imageWords } from './image-words.ts';
import { describeVideoMeasurements } from './video-model.ts';
import type { VisionInput, VisionModel } from './vision-model.ts';

/** Fields of every rule-based answer: deterministic, free of charge, without a confidence. */
const MEASURED = { usage: NO_TOKENS, promptVersion: 'local-v1', confidence: null };

/** Answers from measurements alone, as its descriptions state. */
export function createLocalVision(work: ModelWork): VisionModel {
  return {
    provider: LOCAL_PROVIDER,
    model: 'local-v1',
    inProcess: true,
    describe: (input, { signal }) =>
      answered(signal, () => ({
        ...MEASURED,
        description: cleanText(describeMeasurements(input)),
        tags: cleanTags(measuredTags(input)),
      })),
    describeVideo: (input, { signal }) =>
      answered(signal, () => ({ ...MEASURED, ...describeVideoMeasurements(input) })),
    classify: (input, { signal }) =>
      answered(signal, () => ({ ...MEASURED, category: localCategory(input) })),
    async extract(input, { schema }, call) {
      if (!('pages' in input)) {
        throw new ModelError(
          'MODEL_REFUSED',
          'data of this shape needs a vision model, and none is configured',
        );
      }
      const data = await work.extractLocally({ pages: input.pages, schema }, call);
      return { ...MEASURED, promptVersion: 'local-extraction-v1', data, repaired: false };
    },
  };
}

/** The answer as a promise; rejects if the signal was aborted. */
async function answered<T>(signal: AbortSignal, answer: () => T): Promise<T> {
  signal.throwIfAborted();
  return answer();
}

/** Minimum share of the image's height between its first and last line. */
const PAGE_SPREAD = 0.5;
/**
 * The category by measurements: a page of text on pale paper is a document. All others need a vision model, so they are
 * `general`.
 */
function localCategory({ facts, textRegions = [] }: VisionInput): ContentCategory {
  const page = isPageOfText(facts, textRegions.length) && spread(textRegions) >= PAGE_SPREAD;
  return page ? 'document' : 'general';
}

function spread(regions: readonly TextRegion[]): number {
  const top = Math.min(...regions.map(({ box }) => box.yMin));
  return Math.max(...regions.map(({ box }) => box.yMax)) - top;
}

/** Keywords from an image's measurements; not cleaned yet. */
function measuredTags(input: VisionInput): string[] {
  const { facts, width, height, visibleText } = input;
  const { orientation, ...words } = imageWords(facts, width, height);
  return [
    isScan(input) ? 'page' : facts.look,
    orientation,
    ...mainColours(facts).map(({ name }) => name),
    ...Object.values<string>(words),
    ...(facts.frames > 1 ? ['animated'] : []),
    ...(facts.hasAlpha ? ['transparent'] : []),
    ...(visibleText?.trim() ? ['text'] : []),
    ...(facts.exif.camera ? [facts.exif.camera] : []),
  ];
}
