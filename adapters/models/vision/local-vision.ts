import { NO_TOKENS } from '../../../domain/token-usage.ts';
import { ModelError } from '../model-error.ts';
import { cleanTags, cleanText } from './clean-answer.ts';
import { describeMeasurements } from './describe-measurements.ts';
import { localCategory } from './local-category.ts';
import { measuredTags } from './measured-tags.ts';
import type { ModelWork } from './model-work.ts';
import type { VisionModel } from './vision-model.ts';

/** What the rules answer: deterministic, at no cost, and never sure of itself. */
const MEASURED = { usage: NO_TOKENS, promptVersion: 'local-v1', confidence: null };

/** Its `provider`. */
export const LOCAL_PROVIDER = 'local';

/** Answers from measurements alone, and says so in its descriptions. */
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

/** The answer as a promise, unless nobody waits for it any more. */
async function answered<T>(signal: AbortSignal, answer: () => T): Promise<T> {
  signal.throwIfAborted();
  return answer();
}
