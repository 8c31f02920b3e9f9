import type { EntityManager } from '@mikro-orm/postgresql';
import type { VisionModels } from '../../adapters/models/vision/vision-models.ts';
import { Tenant } from '../../db/entities/accounts/tenant.ts';
import { windowsOf } from '../../domain/structured-extraction/windows.ts';
import type { ExtractionPlan, ExtractionTarget } from '../../temporal/contract/extract-data.ts';
import { mediumOf } from '../media/medium.ts';
import { objectOf } from './extraction-objects.ts';
import { ContentMissing, findExtractedFile, findExtractionTarget } from './extraction-target.ts';

/** Model calls per extraction: some 400 pages of dense text. */
const MAX_PARTS = 40;

/**
 * The work of an extraction.
 *
 * @throws ExtractionOver, ContentMissing
 */
export async function planExtraction(
  { em, models }: { em: EntityManager; models: Pick<VisionModels, 'forTenant'> },
  target: ExtractionTarget,
): Promise<ExtractionPlan> {
  const extraction = await findExtractionTarget(em, target);
  const { allowedVlmProviders } = await em.findOneOrFail(Tenant, target.tenantId, { refresh: true });
  const { provider, inProcess } = models.forTenant(allowedVlmProviders);
  const file = await findExtractedFile(em, extraction);
  const pages = file && (await mediumOf(file).extraction?.readPages?.(em, file.id));
  if (pages) {
    const parts = windowsOf(pages).length;
    if (parts === 0) throw new ContentMissing('the document has no text');
    if (parts > MAX_PARTS) throw new ContentMissing(`the document is too long: more than ${MAX_PARTS} parts`);
    return { fetch: false, read: false, show: false, parts, provider };
  }
  return {
    fetch: extraction.source === 'url' && objectOf(extraction, 'input') === undefined,
    read: !extraction.readPage,
    show: !inProcess && objectOf(extraction, 'picture') === undefined,
    parts: 1,
    provider,
  };
}
