import { NO_TOKENS } from '../../../domain/token-usage.ts';
import type { JsonSchema } from '../../../domain/structured-extraction/json-schema.ts';
import { extractLocally } from '../local-extraction/extract-locally.ts';
import { ModelError } from '../model-error.ts';
import { jsonSchemaCheck } from '../structured/answer-check.ts';
import { cleanTags, cleanText } from './clean-answer.ts';
import { describeMeasurements } from './describe-measurements.ts';
import { localCategory } from './local-category.ts';
import { measuredTags } from './measured-tags.ts';
import type { Extraction, PagesInput, VisionModel } from './vision-model.ts';

/** What the rules answer: deterministic, at no cost, and never sure of itself. */
const MEASURED = { usage: NO_TOKENS, promptVersion: 'local-v1', confidence: null };

/** Answers from measurements alone, and says so in its descriptions. */
export function createLocalVision(): VisionModel {
  return {
    provider: 'local',
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
    extract: (input, { schema }, { signal }) =>
      answered(signal, () => {
        if ('pages' in input) return extractedLocally(input, schema);
        throw new ModelError(
          'MODEL_REFUSED',
          'data of this shape needs a vision model, and none is configured',
        );
      }),
  };
}

function extractedLocally({ pages }: PagesInput, schema: JsonSchema): Extraction {
  const isValid = (value: unknown, part: object) => 'value' in jsonSchemaCheck({ ...part })(value);
  const data = extractLocally(pages, schema, isValid);
  return { ...MEASURED, promptVersion: 'local-extraction-v1', data, repaired: false };
}

/** The answer as a promise, unless nobody waits for it any more. */
async function answered<T>(signal: AbortSignal, answer: () => T): Promise<T> {
  signal.throwIfAborted();
  return answer();
}
