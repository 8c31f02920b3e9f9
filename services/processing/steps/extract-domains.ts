import type { EntityManager } from '@mikro-orm/postgresql';
import type { VisionInput, VisionModel } from '../../../adapters/models/vision/vision-model.ts';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import { DomainExtraction } from '../../../db/entities/extractions/domain-extraction.ts';
import { ImageDetails } from '../../../db/entities/files/image-details.ts';
import type { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { CATEGORY_DOMAINS, type CategoryDomain } from '../../../domain/extractions/domains.ts';
import { domainsOf } from '../../../domain/extractions/domains-of.ts';
import type { ExtractionOutcome } from '../../../domain/extractions/extraction.ts';
import { measureDomain } from '../../../domain/extractions/measured-domains.ts';
import { DOMAIN_DEFINITIONS } from '../../../domain/schemas/extractions/index.ts';
import { emptyResult } from '../../../domain/schemas/extractions/parts.ts';
import { storable } from '../../shared/storable.ts';
import { findTarget, type FileTarget } from '../file-target.ts';
import { askForDomains } from './ask-for-domains.ts';
import { largestVariant, permittedModel } from './describe-image.ts';
import { recordStep } from './record-step.ts';

export interface ExtractDomainsDeps {
  em: EntityManager;
  objects: ObjectStore;
  vision: VisionModel;
}

/** The version of the rules in domain/extractions/measured-domains.ts. */
const MEASURES_VERSION = 'measured-domains-v1';

/**
 * Extracts what the category of an image asks for, once per generation: an existing answer is not paid for again. Without
 * a model, what can be measured is, and the rest is stored as not assessed, with the reason.
 *
 * @throws FileGone, and the errors of the model
 */
export async function extractDomains(
  { em, objects, vision }: ExtractDomainsDeps,
  target: FileTarget,
  signal: AbortSignal,
): Promise<void> {
  const { fileId, generation } = target;
  const file = await findTarget(em, target);
  const domains = domainsOf(file.contentCategory);
  const done = await em.count(DomainExtraction, { fileId, generation, domain: { $in: [...domains] } });
  if (done === domains.length) return;
  const model = await permittedModel(em, target.tenantId, vision);
  const input = await measuredInput({ em, objects }, file);
  const outcomes = model.inProcess
    ? domains.map((domain) => ({ domain, promptVersion: MEASURES_VERSION, ...measure(domain, input) }))
    : await askForDomains(model, input, domains, signal);
  const extractedAt = new Date();
  const rows = outcomes.map((outcome) => ({
    ...storable(outcome),
    fileId,
    generation,
    provider: model.provider,
    model: model.model,
    extractedAt,
    corrections: null,
    correctedAt: null,
  }));
  await recordStep(em, target, {
    async save(tx) {
      // Of another category that the image had before; what people have corrected stays.
      const others = CATEGORY_DOMAINS.filter((domain) => !domains.includes(domain));
      await tx.nativeDelete(DomainExtraction, { fileId, domain: { $in: others }, correctedAt: null });
      await tx.upsertMany(DomainExtraction, rows, {
        onConflictExcludeFields: ['corrections', 'correctedAt'],
      });
    },
  });
}

/**
 * What a model gets of an image that has been measured.
 *
 * @throws Error if it has not
 */
export async function measuredInput(
  { em, objects }: Pick<ExtractDomainsDeps, 'em' | 'objects'>,
  { id: fileId, format, filename, contentCategory, visibleText }: StoredFile,
): Promise<VisionInput> {
  const details = await em.findOne(ImageDetails, { fileId });
  if (!details) throw new Error('the image was extracted from before it was measured');
  const { imageFacts: facts, width, height, textRegions } = details;
  return {
    image: () => largestVariant({ em, objects }, fileId),
    facts,
    width,
    height,
    format,
    filename,
    contentCategory,
    ...(visibleText && { visibleText }),
    ...(textRegions && { textRegions }),
  };
}

function measure(domain: CategoryDomain, { facts, textRegions }: VisionInput): ExtractionOutcome {
  const nothing = emptyResult(DOMAIN_DEFINITIONS[domain].result);
  const measured = measureDomain(domain, { facts, textRegions: textRegions ?? null });
  if (!measured) return { status: 'not_assessed', reason: 'it needs a vision model', result: nothing };
  return {
    status: 'partial',
    reason: `measured without a vision model; not looked for: ${measured.missing}`,
    result: { ...nothing, ...measured.found },
  };
}
