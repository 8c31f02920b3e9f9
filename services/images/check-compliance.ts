import type { EntityManager } from '@mikro-orm/postgresql';
import type { ImageDecoder } from '../../engines/image-decoder/image-decoder.ts';
import { ModelError, type ModelErrorCode } from '../../adapters/models/model-error.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { CategoryExtraction } from '../../db/entities/extractions/category-extraction.ts';
import {
  checkRules,
  complianceStatus,
  rulesToAsk,
  type CheckedImage,
  type RuleOutcome,
  expectationOf,
  nameOf,
  type RuleAssessment,
} from '../../domain/compliance/check.ts';
import type { ComplianceRequest, ComplianceStatus } from '../../domain/compliance/compliance.ts';
import { findStandard, type ComplianceStandard, type Rule } from '../../domain/compliance/standards.ts';
import { hasDomains, COMPLIANCE_DOMAINS, type ExtractionResult } from '../../domain/extractions/domains.ts';
import { storable } from '../shared/sql.ts';
import { recordFileOperation } from '../usage/record-operation.ts';
import { findTarget, type FileTarget } from '../processing/file-target.ts';
import { overviewImage } from './model-image.ts';
import {
  storePaidAnswer,
  type PaidAttempt,
  tenantModel,
  type ModelDeps,
  recordStep,
} from '../processing/record-step.ts';
import { storedVisionInput } from './vision-input.ts';
import { FILE_WORKFLOWS } from '../../temporal/contract/process-file.ts';
import { answerSchema } from '../../adapters/models/vision/answer-schemas.ts';
import type { ModelCall } from '../../adapters/models/vision/model-work.ts';
import type { VisionInput, VisionModel } from '../../adapters/models/vision/vision-model.ts';
import { answerOfRules, readAssessments } from '../../domain/schemas/extractions/compliance.ts';
import { NO_TOKENS, type TokenUsage } from '../../domain/token-usage.ts';

export interface CheckComplianceDeps extends ModelDeps {
  em: EntityManager;
  objects: ObjectStore;
  decoder: ImageDecoder;
}

/** Version of the measurements and of the model's prompt; the rules themselves have the date of their standard. */
const CHECK_VERSION = 'compliance-v1';

/**
 * Checks an image against the standard that its upload named, once per generation: by measurements where possible, by a
 * model otherwise. Without an answer of the model, the measurements are stored all the same.
 *
 * @throws FileGone, and the errors of decoder and model
 */
export async function checkCompliance(
  { em, objects, decoder, ...choice }: CheckComplianceDeps,
  target: FileTarget,
  attempt: PaidAttempt,
): Promise<void> {
  const { fileId, tenantId, generation } = target;
  const { signal } = attempt;
  const file = await findTarget(em, target);
  const request = file.options.compliance;
  // Rows from before steps had triggers do not list the steps that were not requested.
  if (!request) return;
  const category = COMPLIANCE_DOMAINS[request.type];
  const done = await em.count(CategoryExtraction, { fileId, generation, category });
  if (done > 0 && file.complianceStatus !== 'error') return;
  const standard = findStandard(request.type, request.standard);
  if (!standard) throw new Error(`the standard ${request.standard} is no longer known`);

  const overview = await overviewImage({ em, objects }, file);
  const input = await storedVisionInput(em, file, () => Promise.resolve(overview));
  const margins = await decoder.margins(overview.bytes, {
    tenantId: target.tenantId,
    label: FILE_WORKFLOWS.of(fileId),
    signal,
  });
  const { width, height, format, textRegions = null } = input;
  const image: CheckedImage = { width, height, format, sizeBytes: file.sizeBytes, margins, textRegions };
  const vision = await tenantModel(em, tenantId, choice);
  const { provider, model } = vision;
  const rules = rulesToAsk(standard, request);

  const failures: ModelError[] = [];

  const ask = async () => {
    const began = performance.now();
    const call = { promptVersion: CHECK_VERSION, tenantId, signal };
    const assessment = await assessRulesWithModel(vision, input, rules, call);
    return { ...assessment, durationMs: performance.now() - began };
  };
  const store = async ({ durationMs, ...assessment }: ModelAssessment & { durationMs: number }) => {
    const { assessments, unseen, usage, failure } = assessment;
    const outcomes = checkRules(standard, request, image, assessments, unseen);
    const judged = complianceStatus(outcomes);
    const status = failure && judged !== 'failed' ? 'error' : judged;
    const unchecked = outcomes.filter(({ verdict }) => verdict === 'not_checked').length;
    await recordStep(em, target, {
      changes: () => ({ complianceStatus: status }),
      async save(tx) {
        await tx.upsert(
          CategoryExtraction,
          {
            fileId,
            category,
            generation,
            status: unchecked === 0 ? 'completed' : 'partial',
            reason: unchecked === 0 ? null : `${unchecked} of ${outcomes.length} rules were not checked`,
            result: storable(toResult(standard, request, status, outcomes)),
            provider,
            model,
            promptVersion: CHECK_VERSION,
            extractedAt: new Date(),
            corrections: null,
            correctedAt: null,
          },
          { onConflictExcludeFields: ['corrections', 'correctedAt'] },
        );
        const included = hasDomains(file.contentCategory);
        const operation = { operation: 'extract', provider, model, usage, durationMs } as const;
        await recordFileOperation(tx, file, operation, { part: 'compliance', included });
      },
    });
    if (failure) failures.push(new ModelError(failure.code, failure.message));
  };
  await storePaidAnswer(attempt, ask, store);
  // Last, since stored results need not be kept for the next attempt.
  const [failure] = failures;
  if (failure) throw failure;
}

function toResult(
  standard: ComplianceStandard,
  { type, standard: name, imageType }: ComplianceRequest,
  status: ComplianceStatus,
  outcomes: readonly RuleOutcome[],
): ExtractionResult {
  return {
    type,
    standard: name,
    source: standard.source,
    as_of: standard.asOf,
    image_type: imageType,
    status,
    items: outcomes.map(({ box, ...outcome }) => ({
      ...outcome,
      bounding_box: box && { x_min: box.xMin, y_min: box.yMin, x_max: box.xMax, y_max: box.yMax },
    })),
  };
}

const MAX_OUTPUT_TOKENS = 4_000;
/** Model failures that are specific to this image or prompt. */
const FINAL: ReadonlySet<ModelErrorCode> = new Set([
  'MODEL_REFUSED',
  'MODEL_INVALID_REPLY',
  'MODEL_INVALID_ANSWER',
]);

/** The assessment of the rules by a model. */
interface ModelAssessment {
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
async function assessRulesWithModel(
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
