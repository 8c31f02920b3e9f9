import { ModelError, type ModelErrorCode } from '../../adapters/models/model-error.ts';
import { answerSchema } from '../../adapters/models/vision/answer-schemas.ts';
import type { ModelCall } from '../../adapters/models/vision/model-work.ts';
import type { VisionInput, VisionModel } from '../../adapters/models/vision/vision-model.ts';
import { expectationOf, nameOf, type RuleAssessment } from '../../domain/compliance/check.ts';
import type { Rule } from '../../domain/compliance/standards.ts';
import { answerOfRules, readAssessments } from '../../domain/schemas/extractions/compliance.ts';
import { NO_TOKENS, type TokenUsage } from '../../domain/token-usage.ts';

const MAX_OUTPUT_TOKENS = 4_000;
/** The failures of a model that are about this image, or this question. */
const FINAL: ReadonlySet<ModelErrorCode> = new Set([
  'MODEL_REFUSED',
  'MODEL_INVALID_REPLY',
  'MODEL_INVALID_ANSWER',
]);

/** What a model has seen of the rules. */
export interface ModelAssessment {
  /** By the names of rules. */
  assessments: Readonly<Record<string, RuleAssessment>>;
  /** Why a rule that needs a model was not checked. */
  unseen: string;
  usage: TokenUsage;
  /** Why the model answered nothing, where the image or the question is the cause. */
  failure?: { code: ModelErrorCode; message: string };
}

/**
 * Asks a model about all rules in one call. That it has nothing to say is an answer as well.
 *
 * @throws ModelError for outages
 */
export async function assessRulesWithModel(
  model: VisionModel,
  input: VisionInput,
  rules: readonly Rule[],
  { promptVersion, ...call }: ModelCall & { promptVersion: string },
): Promise<ModelAssessment> {
  if (model.inProcess) return { assessments: {}, unseen: 'it needs a vision model', usage: NO_TOKENS };
  try {
    const { data, usage } = await model.extract(
      input,
      {
        name: 'compliance_check',
        schema: answerSchema(answerOfRules(rules.map(nameOf))),
        instructions: [
          'Check whether the image keeps each of these rules.',
          ...rules.map((rule) => `"${nameOf(rule)}": ${expectationOf(rule)}.`),
        ].join(' '),
        promptVersion,
        maxOutputTokens: MAX_OUTPUT_TOKENS,
      },
      call,
    );
    return { assessments: readAssessments(data), unseen: 'the model was not asked', usage };
  } catch (error) {
    if (!(error instanceof ModelError) || !FINAL.has(error.code)) throw error;
    const { code, message } = error;
    return { assessments: {}, unseen: message, usage: error.usage ?? NO_TOKENS, failure: { code, message } };
  }
}
