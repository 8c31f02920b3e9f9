import type { EntityManager } from '@mikro-orm/postgresql';
import type { ImageDecoder } from '../../../adapters/image-decoder/image-decoder.ts';
import { ModelError, type ModelErrorCode } from '../../../adapters/models/model-error.ts';
import { answerSchema } from '../../../adapters/models/vision/answer-schemas.ts';
import type { VisionInput, VisionModel } from '../../../adapters/models/vision/vision-model.ts';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import { DomainExtraction } from '../../../db/entities/extractions/domain-extraction.ts';
import {
  checkRules,
  complianceStatus,
  expectationOf,
  nameOf,
  rulesToAsk,
  type CheckedImage,
  type RuleOutcome,
  type Sighting,
} from '../../../domain/compliance/check.ts';
import type { ComplianceRequest, ComplianceStatus } from '../../../domain/compliance/compliance.ts';
import { findStandard, type ComplianceStandard } from '../../../domain/compliance/standards.ts';
import { COMPLIANCE_DOMAINS } from '../../../domain/extractions/domains.ts';
import type { ExtractionResult } from '../../../domain/extractions/extraction.ts';
import { answerOfRules, readSightings } from '../../../domain/schemas/extractions/compliance.ts';
import { fileWorkflowId } from '../../../temporal/contract/ids.ts';
import { storable } from '../../shared/storable.ts';
import { findTarget, type FileTarget } from '../file-target.ts';
import { permittedModel } from './describe-image.ts';
import { measuredInput } from './extract-domains.ts';
import { recordStep } from './record-step.ts';

export interface CheckComplianceDeps {
  em: EntityManager;
  objects: ObjectStore;
  decoder: ImageDecoder;
  vision: VisionModel;
}

/** Of the measurements and of the question to a model; the rules themselves have the date of their standard. */
const CHECK_VERSION = 'compliance-v1';
const MAX_OUTPUT_TOKENS = 4_000;
/** The failures of a model that are about this image, or this question. */
const FINAL: ReadonlySet<ModelErrorCode> = new Set([
  'MODEL_REFUSED',
  'MODEL_INVALID_REPLY',
  'MODEL_INVALID_ANSWER',
]);

/**
 * Checks an image against the standard that its upload named, once per generation. What can be measured is measured; a
 * model is asked for the rest, once for all rules. When it refuses, what was measured is stored all the same.
 *
 * @throws FileGone, and the errors of decoder and model
 */
export async function checkCompliance(
  { em, objects, decoder, vision }: CheckComplianceDeps,
  target: FileTarget,
  signal: AbortSignal,
): Promise<void> {
  const { fileId, generation } = target;
  const file = await findTarget(em, target);
  const request = file.options.compliance;
  if (!request) return;
  const domain = COMPLIANCE_DOMAINS[request.type];
  const done = await em.count(DomainExtraction, { fileId, generation, domain });
  if (done > 0 && file.complianceStatus !== 'error') return;
  const standard = findStandard(request.type, request.standard);
  if (!standard) throw new Error(`the standard ${request.standard} is no longer known`);

  const input = await measuredInput({ em, objects }, file);
  const picture = await input.image();
  const margins = await decoder.margins(picture.bytes, { label: fileWorkflowId(fileId), signal });
  const { width, height, format, textRegions = null } = input;
  const image: CheckedImage = { width, height, format, sizeBytes: file.sizeBytes, margins, textRegions };
  const model = await permittedModel(em, target.tenantId, vision);
  const seen = { ...input, image: () => Promise.resolve(picture) };
  const { sightings, unseen, failure } = await look(model, seen, standard, request, signal);
  const outcomes = checkRules(standard, request, image, sightings, unseen);
  const judged = complianceStatus(outcomes);
  const status = failure && judged !== 'failed' ? 'error' : judged;
  const unchecked = outcomes.filter(({ verdict }) => verdict === 'not_checked').length;
  await recordStep(em, target, {
    changes: () => ({ complianceStatus: status }),
    save: async (tx) =>
      void (await tx.upsert(
        DomainExtraction,
        {
          fileId,
          domain,
          generation,
          status: unchecked === 0 ? 'completed' : 'partial',
          reason: unchecked === 0 ? null : `${unchecked} of ${outcomes.length} rules were not checked`,
          result: storable(toResult(standard, request, status, outcomes)),
          provider: model.provider,
          model: model.model,
          promptVersion: CHECK_VERSION,
          extractedAt: new Date(),
          corrections: null,
          correctedAt: null,
        },
        { onConflictExcludeFields: ['corrections', 'correctedAt'] },
      )),
  });
  if (failure) throw failure;
}

interface Look {
  sightings: ReadonlyMap<string, Sighting>;
  /** Why a rule that needs a model was not checked. */
  unseen: string;
  /** Why the model answered nothing, where asking again may not help. */
  failure?: ModelError;
}

async function look(
  model: VisionModel,
  input: VisionInput,
  standard: ComplianceStandard,
  request: ComplianceRequest,
  signal: AbortSignal,
): Promise<Look> {
  const rules = rulesToAsk(standard, request);
  if (model.inProcess || rules.length === 0)
    return { sightings: new Map(), unseen: 'it needs a vision model' };
  try {
    const { data } = await model.extract(
      input,
      {
        name: 'compliance_check',
        schema: answerSchema(answerOfRules(rules.map(nameOf))),
        instructions: [
          'Check whether the image keeps each of these rules.',
          ...rules.map((rule) => `"${nameOf(rule)}": ${expectationOf(rule)}.`),
        ].join(' '),
        promptVersion: CHECK_VERSION,
        maxOutputTokens: MAX_OUTPUT_TOKENS,
      },
      { signal },
    );
    return { sightings: readSightings(data), unseen: 'the model was not asked' };
  } catch (error) {
    if (!(error instanceof ModelError) || !FINAL.has(error.code)) throw error;
    return { sightings: new Map(), unseen: error.message, failure: error };
  }
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
