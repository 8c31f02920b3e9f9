import type { EntityManager } from '@mikro-orm/postgresql';
import type { ImageDecoder } from '../../engines/image-decoder/image-decoder.ts';
import type { ModelCall } from '../../adapters/models/vision/model-work.ts';
import type { VisionInput, VisionModel } from '../../adapters/models/vision/vision-model.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { CategoryExtraction } from '../../db/entities/extractions/category-extraction.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import {
  CATEGORY_DOMAINS,
  type CategoryDomain,
  domainsOf,
  type ExtractionOutcome,
} from '../../domain/extractions/domains.ts';
import { measureDomain } from '../../domain/extractions/measured-domains.ts';
import {
  DOMAIN_DEFINITIONS,
  answerOfDomains,
  readAnswerOfDomains,
} from '../../domain/schemas/extractions/index.ts';
import { emptyResult } from '../../domain/schemas/extractions/parts.ts';
import { NO_TOKENS, type TokenUsage } from '../../domain/token-usage.ts';
import { storable } from '../shared/sql.ts';
import { recordFileOperation } from '../usage/record-operation.ts';
import { findTarget, type FileTarget } from '../processing/file-target.ts';
import { fineImage } from './model-image.ts';
import {
  recordingFailure,
  storePaidAnswer,
  type PaidAttempt,
  tenantModel,
  type ModelDeps,
  recordStep,
  type StepResult,
} from '../processing/record-step.ts';
import { storedVisionInput } from './vision-input.ts';
import { answerSchema } from '../../adapters/models/vision/answer-schemas.ts';

/** A drawing may have hundreds of items. */
const MAX_OUTPUT_TOKENS = 8_000;

type AskedDomain = ExtractionOutcome & { category: CategoryDomain; promptVersion: string };

interface DomainAnswer {
  outcomes: AskedDomain[];
  usage: TokenUsage;
}

export interface ExtractDomainsDeps extends ModelDeps {
  em: EntityManager;
  objects: ObjectStore;
  decoder: ImageDecoder;
}

/** The version of the rules in domain/extractions/measured-domains.ts. */
const MEASURES_VERSION = 'measured-domains-v1';

/**
 * Extracts the data of an image's category, once per generation: an existing answer is not paid for again. Without a
 * model, measurable data is extracted, and the rest is stored as not assessed, with the reason.
 *
 * @throws FileGone, and the errors of decoder and model
 */
export async function extractDomains(
  { em, objects, decoder, ...choice }: ExtractDomainsDeps,
  target: FileTarget,
  attempt: PaidAttempt,
): Promise<void> {
  const { fileId, generation } = target;
  const file = await findTarget(em, target);
  const domains = domainsOf(file.contentCategory);
  const done = await em.count(CategoryExtraction, { fileId, generation, category: { $in: [...domains] } });
  if (done === domains.length) return;
  const vision = await tenantModel(em, target.tenantId, choice);
  const { provider, model } = vision;
  const image = () => fineImage({ objects, decoder }, file, attempt.signal);
  const input = await storedVisionInput(em, file, image);
  await storePaidAnswer(
    attempt,
    () =>
      recordingFailure(em, file, { operation: 'extract', part: 'domains', provider, model }, () =>
        extract(vision, input, domains, { tenantId: target.tenantId, signal: attempt.signal }),
      ),
    (extracted) => recordStep(em, target, extractedFrom(file, extracted)),
  );
}

/** The extracted data, and the call that produced it. */
interface Extracted extends DomainAnswer, Pick<VisionModel, 'provider' | 'model'> {
  durationMs: number;
}

async function extract(
  vision: VisionModel,
  input: VisionInput,
  domains: readonly CategoryDomain[],
  call: ModelCall,
): Promise<Extracted> {
  const began = performance.now();
  const answer = vision.inProcess
    ? { outcomes: domains.map((category) => measure(category, input)), usage: NO_TOKENS }
    : await askForDomains(vision, input, domains, call);
  const { provider, model } = vision;
  return { ...answer, provider, model, durationMs: performance.now() - began };
}

function extractedFrom(
  file: StoredFile,
  { outcomes, provider, model, usage, durationMs }: Extracted,
): StepResult {
  const { id: fileId, generation } = file;
  const domains = outcomes.map(({ category }) => category);
  const rows = outcomes.map((outcome) => ({
    ...storable(outcome),
    fileId,
    generation,
    provider,
    model,
    extractedAt: new Date(),
    corrections: null,
    correctedAt: null,
  }));
  return {
    async save(tx) {
      // Removes extractions of a former category; those with corrections by users stay.
      const others = CATEGORY_DOMAINS.filter((category) => !domains.includes(category));
      await tx.nativeDelete(CategoryExtraction, { fileId, category: { $in: others }, correctedAt: null });
      await tx.upsertMany(CategoryExtraction, rows, {
        onConflictExcludeFields: ['corrections', 'correctedAt'],
      });
      const operation = { operation: 'extract', provider, model, usage, durationMs } as const;
      await recordFileOperation(tx, file, operation, { part: 'domains' });
    },
  };
}

function measure(category: CategoryDomain, { facts, textRegions }: VisionInput): AskedDomain {
  return { category, promptVersion: MEASURES_VERSION, ...measuredOutcome(category, facts, textRegions) };
}

function measuredOutcome(
  category: CategoryDomain,
  facts: VisionInput['facts'],
  textRegions: VisionInput['textRegions'],
): ExtractionOutcome {
  const nothing = emptyResult(DOMAIN_DEFINITIONS[category].result);
  const measured = measureDomain(category, { facts, textRegions: textRegions ?? null });
  if (!measured) return { status: 'not_assessed', reason: 'it needs a vision model', result: nothing };
  return {
    status: 'partial',
    reason: `measured without a vision model; not looked for: ${measured.missing}`,
    result: { ...nothing, ...measured.found },
  };
}

/**
 * Extracts several domains of one image in one model call, so that the image is paid for once.
 *
 * @throws ModelError
 */
async function askForDomains(
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
