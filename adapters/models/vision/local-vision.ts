import type { ContentCategory } from '../../../domain/content-categories.ts';
import type { TextRegion } from '../../../domain/image-analysis.ts';
import { LOCAL_PROVIDER } from '../../../domain/structured-extraction/extraction.ts';
import { NO_TOKENS } from '../../../domain/token-usage.ts';
import { ModelError } from '../model-error.ts';
import {
  categoryOf,
  combineContents,
  contentOf,
  contentSentence,
  contentTags,
  type Content,
} from '../sight/content-words.ts';
import type { Sight } from '../sight/sight.ts';
import type { Seen } from '../sight/thread.ts';
import { cleanTags, cleanText } from './vision-answer.ts';
import { describeMeasurements, isScan, mainColours } from './describe-measurements.ts';
import type { ModelWork } from './model-work.ts';
import { isPageOfText, imageWords } from './image-words.ts';
import { describeVideoMeasurements } from './video-model.ts';
import type { VisionInput, VisionModel } from './vision-model.ts';

/** Fields of every rule-based answer: deterministic, free of charge, without a confidence. */
const MEASURED = { usage: NO_TOKENS, promptVersion: 'local-v1', confidence: null };

/** Of answers from what the models of the service have seen. */
const EMBEDDED = { provider: 'embedded', model: 'efficientnet-lite2-ssdlite', promptVersion: 'embedded-v1' };
const NOTHING: Content = { objects: [], looksLike: [] };

/** Answers from measurements and, where the models of the service are there, from what they see, as its descriptions state. */
export function createLocalVision(work: ModelWork, sight?: Sight): VisionModel {
  /** One look for the category and the description: both have the same function for the image. */
  const looks = new WeakMap<VisionInput['image'], Promise<Seen | undefined>>();
  const look = (input: VisionInput, signal: AbortSignal): Promise<Seen | undefined> => {
    if (!sight?.isThere() || input.facts.look === 'blank') return Promise.resolve(undefined);
    const earlier = looks.get(input.image);
    if (earlier) return earlier;
    const seen = input
      .image()
      .then(({ bytes }) => sight.see(bytes, { signal }))
      .then((found) => found ?? undefined);
    looks.set(input.image, seen);
    return seen;
  };

  return {
    provider: LOCAL_PROVIDER,
    model: 'local-v1',
    inProcess: true,
    isFast: () => sight?.isThere() !== true,
    async describe(input, { signal }) {
      signal.throwIfAborted();
      const seen = await look(input, signal);
      const measured = cleanTags(measuredTags(input));
      if (!seen) return { ...MEASURED, description: cleanText(describeMeasurements(input)), tags: measured };
      const content = isScan(input)
        ? NOTHING
        : contentOf(seen, { graphic: input.facts.look !== 'photograph' });
      return {
        ...MEASURED,
        ...EMBEDDED,
        description: cleanText(describeMeasurements(input, contentSentence(content))),
        tags: cleanTags([...contentTags(content), ...measured]),
        objects: content.objects,
      };
    },
    async describeVideo(input, { signal }) {
      signal.throwIfAborted();
      if (!sight?.isThere()) return { ...MEASURED, ...describeVideoMeasurements(input) };
      const contents: Content[] = [];
      for (const { bytes } of await input.images()) {
        const seen = await sight.see(bytes, { signal });
        if (seen) contents.push(contentOf(seen, { graphic: false }));
      }
      const content = combineContents(contents);
      return { ...MEASURED, ...EMBEDDED, ...describeVideoMeasurements(input, content) };
    },
    async classify(input, { signal }) {
      signal.throwIfAborted();
      const measured = localCategory(input);
      if (measured !== 'general') return { ...MEASURED, category: measured };
      const seen = await look(input, signal);
      return { ...MEASURED, category: (seen && categoryOf(seen)) ?? measured };
    },
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
