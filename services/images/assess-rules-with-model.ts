import { ModelError, type ModelErrorCode } from '../../adapters/models/model-error.ts';
import { answerSchema } from '../../adapters/models/vision/answer-schemas.ts';
import type { ModelCall } from '../../adapters/models/vision/model-work.ts';
import type { VisionInput, VisionModel } from '../../adapters/models/vision/vision-model.ts';
import { expectationOf, nameOf, type RuleAssessment } from '../../domain/compliance/check.ts';
import type { Rule } from '../../domain/compliance/standards.ts';
import { answerOfRules, readAssessments } from '../../domain/schemas/extractions/compliance.ts';
import { NO_TOKENS, type TokenUsage } from '../../domain/token-usage.ts';

const MAX_OUTPUT_TOKENS = 4_000;
/** Model failures that are specific to this image or prompt. */
const FINAL: ReadonlySet<ModelErrorCode> = new Set([
  'MODEL_REFUSED',
  'MODEL_INVALID_REPLY',
  'MODEL_INVALID_ANSWER',
]);

/** The assessment of the rules by a model. */
export interface ModelAssessment {
  /** By rule name. */
  assessments: Readonly<Record<string, RuleAssessment>>;
  /** Why a rule that needs a model was not checked. */
  unseen: string;
  usage: TokenUsage;
  /** Why there is no answer, if caused by the image or the prompt. */
  failure?: { code: ModelErrorCode; message: string };
}

/**
 * Assesses all rules in one model call. A failure due to the image or the prompt is a result as well.
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
