import type { EntityManager } from '@mikro-orm/postgresql';
import { LOCAL_PROVIDER } from '../../domain/structured-extraction/extraction.ts';
import type { VisionModels } from '../../adapters/models/vision/vision-models.ts';
import { Tenant } from '../../db/entities/accounts/tenant.ts';
import { windowsOf } from '../../domain/structured-extraction/windows.ts';
import type { ExtractionPlan, ExtractionTarget } from '../../temporal/contract/extract-data.ts';
import { mediumOf } from '../media/medium.ts';
import { acknowledge } from '../shared/due.ts';
import {
  objectOf,
  ContentMissing,
  findExtractedFile,
  findExtractionTarget,
  ExtractionOver,
} from './extraction-target.ts';
import { TextOverBudget } from '../../engines/text-work/errors.ts';
import type { TextWork } from '../../engines/text-work/text-work.ts';
import { ExtractionPart } from '../../db/entities/structured-extraction/extraction-part.ts';
import { SchemaExtraction } from '../../db/entities/structured-extraction/schema-extraction.ts';
import type { ReadPage } from '../../domain/structured-extraction/read-page.ts';
import { endExtraction, type EndDeps } from './end-extraction.ts';

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
  await acknowledge(em, SchemaExtraction, extraction);
  const { allowedVlmProviders } = await em.findOneOrFail(Tenant, target.tenantId, { refresh: true });
  const { provider, inProcess } = models.forTenant(allowedVlmProviders);
  const file = await findExtractedFile(em, extraction);
  const pages = file && (await mediumOf(file).extraction?.readPages?.(em, file.id));
  if (pages) {
    const parts = windowsOf(pages).length;
    if (parts === 0) throw new ContentMissing('the document has no text', 'DOCUMENT_EMPTY');
    if (parts > MAX_PARTS) {
      const why = `the document is too long: more than ${MAX_PARTS} parts`;
      throw new ContentMissing(why, 'DOCUMENT_TOO_LARGE');
    }
    return { fetch: false, read: false, show: false, parts, provider };
  }
  return {
    fetch: extraction.source === 'url' && objectOf(extraction, 'input') === undefined,
    read: !extraction.readPage,
    show: !inProcess && objectOf(extraction, 'image') === undefined,
    parts: 1,
    provider,
  };
}

/** The values of a model do not form an object of the schema. */
export class NothingExtracted extends Error {
  override readonly name = 'NothingExtracted';
}

/**
 * Makes the result of an extraction from the answers to its parts, without citations if locating them takes too long.
 * Idempotent.
 *
 * @throws NothingExtracted, ExtractionOver, TextOverBudget
 */
export async function finishExtraction(
  { text, ...deps }: EndDeps & { text: TextWork },
  target: ExtractionTarget,
  signal: AbortSignal,
): Promise<void> {
  const { em } = deps;
  const { extractionId, tenantId } = target;
  const extraction = await findExtractionTarget(em, target);
  const parts = await em.find(ExtractionPart, { extractionId }, { orderBy: { part: 'asc' } });
  const given = {
    parts: parts.map(({ data }) => data),
    schema: extraction.schema,
    orNull: parts.every(({ provider }) => provider === LOCAL_PROVIDER),
  };
  const call = { tenantId, signal };
  const pages = extraction.citationsRequested ? await pagesOf(em, extraction) : null;
  const finished = await text.finishExtraction({ ...given, pages }, call).catch((error: unknown) => {
    // Paid data must not be lost because locating it takes too long.
    if (pages && error instanceof TextOverBudget)
      return text.finishExtraction({ ...given, pages: null }, call);
    throw error;
  });
  if ('problem' in finished) {
    throw new NothingExtracted(
      finished.problem === 'empty'
        ? 'nothing that the schema asks for was found'
        : `what was found makes no object of the schema: ${finished.message}`,
    );
  }
  if (!(await endExtraction(deps, target, { status: 'completed', ...finished }))) {
    throw new ExtractionOver('the extraction has ended');
  }
}

/** The text recognised in its content. */
async function pagesOf(em: EntityManager, extraction: SchemaExtraction): Promise<ReadPage[]> {
  const file = await findExtractedFile(em, extraction);
  const pages = file && (await mediumOf(file).extraction?.readPages?.(em, file.id));
  if (pages) return pages;
  return extraction.readPage ? [extraction.readPage] : [];
}
