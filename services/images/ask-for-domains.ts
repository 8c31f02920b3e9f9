import { answerSchema } from '../../adapters/models/vision/answer-schemas.ts';
import type { ModelCall } from '../../adapters/models/vision/model-work.ts';
import type { VisionInput, VisionModel } from '../../adapters/models/vision/vision-model.ts';
import type { CategoryDomain } from '../../domain/extractions/domains.ts';
import type { ExtractionOutcome } from '../../domain/extractions/extraction.ts';
import type { TokenUsage } from '../../domain/token-usage.ts';
import {
  answerOfDomains,
  DOMAIN_DEFINITIONS,
  readAnswerOfDomains,
} from '../../domain/schemas/extractions/index.ts';

/** A drawing may have hundreds of items. */
const MAX_OUTPUT_TOKENS = 8_000;

export type AskedDomain = ExtractionOutcome & { category: CategoryDomain; promptVersion: string };

export interface DomainAnswer {
  outcomes: AskedDomain[];
  usage: TokenUsage;
}

/**
 * Asks a model for several domains of one image in one call, so that the image is paid for once.
 *
 * @throws ModelError
 */
export async function askForDomains(
  model: VisionModel,
  input: VisionInput,
  domains: readonly CategoryDomain[],
  call: ModelCall,
): Promise<DomainAnswer> {
  const definitions = domains.map((category) => ({ category, ...DOMAIN_DEFINITIONS[category] }));
  const { data, usage } = await model.extract(
    input,
    {
      name: `${input.contentCategory}_extraction`,
      schema: answerSchema(answerOfDomains(domains)),
      instructions: definitions
        .map(({ category, instructions }) => `For "${category}": ${instructions}`)
        .join(' '),
      promptVersion: definitions.map(({ version }) => version).join('+'),
      maxOutputTokens: MAX_OUTPUT_TOKENS,
    },
    call,
  );
  const results = readAnswerOfDomains(data);
  const outcomes = definitions.map(({ category, version }): AskedDomain => ({
    category,
    promptVersion: version,
    status: 'completed',
    reason: null,
    result: results(category),
  }));
  return { outcomes, usage };
}
