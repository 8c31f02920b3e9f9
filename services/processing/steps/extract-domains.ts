import type { EntityManager } from '@mikro-orm/postgresql';
import { DomainExtraction } from '../../../db/entities/extractions/domain-extraction.ts';
import { ImageDetails } from '../../../db/entities/files/image-details.ts';
import { CATEGORY_DOMAINS, type CategoryDomain } from '../../../domain/extractions/domains.ts';
import { domainsOf } from '../../../domain/extractions/domains-of.ts';
import type { ExtractionOutcome, ExtractionResult } from '../../../domain/extractions/extraction.ts';
import { measureDomain, type MeasuredImage } from '../../../domain/extractions/measured-domains.ts';
import { DOMAIN_DEFINITIONS } from '../../../domain/schemas/extractions/index.ts';
import { emptyResult } from '../../../domain/schemas/extractions/parts.ts';
import { findTarget, type FileTarget } from '../file-target.ts';
import { tenantModel, type ModelDeps } from '../tenant-model.ts';
import { recordStep } from './record-step.ts';

export interface ExtractDomainsDeps extends ModelDeps {
  em: EntityManager;
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
  { em, ...choice }: ExtractDomainsDeps,
  target: FileTarget,
  signal: AbortSignal,
): Promise<void> {
  const { fileId, generation } = target;
  const file = await findTarget(em, target);
  const domains = domainsOf(file.contentCategory);
  const done = await em.count(DomainExtraction, { fileId, generation, domain: { $in: [...domains] } });
  if (done === domains.length) return;
  const details = await em.findOne(ImageDetails, { fileId });
  if (!details) throw new Error('the image was extracted from before it was measured');
  signal.throwIfAborted();
  const { provider, model } = await tenantModel(em, target.tenantId, choice);
  const image: MeasuredImage = { facts: details.imageFacts, textRegions: details.textRegions ?? null };
  const extractedAt = new Date();
  const rows = domains.map((domain) => ({
    fileId,
    domain,
    generation,
    ...measuredOutcome(domain, image),
    confidence: null,
    provider,
    model,
    promptVersion: MEASURES_VERSION,
    extractedAt,
    corrections: null,
    correctedAt: null,
  }));
  await recordStep(em, target, {
    async save(tx) {
      // Of another category that the image had before; what people have corrected stays.
      await tx.nativeDelete(DomainExtraction, {
        fileId,
        domain: { $in: CATEGORY_DOMAINS.filter((domain) => !domains.includes(domain)) },
        correctedAt: null,
      });
      await tx.upsertMany(DomainExtraction, rows, {
        onConflictExcludeFields: ['corrections', 'correctedAt'],
      });
    },
  });
}

function measuredOutcome(domain: CategoryDomain, image: MeasuredImage): ExtractionOutcome {
  const nothing: ExtractionResult = emptyResult(DOMAIN_DEFINITIONS[domain].result);
  const measured = measureDomain(domain, image);
  if (!measured) return { status: 'not_assessed', reason: 'it needs a vision model', result: nothing };
  return {
    status: 'partial',
    reason: `measured without a vision model; not looked for: ${measured.missing}`,
    result: { ...nothing, ...measured.found },
  };
}
