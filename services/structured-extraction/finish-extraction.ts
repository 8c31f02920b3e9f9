import type { EntityManager } from '@mikro-orm/postgresql';
import { jsonSchemaCheck } from '../../adapters/models/structured/answer-check.ts';
import { ExtractionPart } from '../../db/entities/structured-extraction/extraction-part.ts';
import type { Extraction } from '../../db/entities/structured-extraction/extraction.ts';
import { cite } from '../../domain/structured-extraction/cite.ts';
import type { Citations } from '../../domain/structured-extraction/extraction.ts';
import { leavesOf } from '../../domain/structured-extraction/leaves.ts';
import { mergeWindows } from '../../domain/structured-extraction/windows.ts';
import type { ExtractionTarget } from '../../temporal/contract/extract-data.ts';
import { endExtraction, type EndDeps } from './end-extraction.ts';
import { ExtractionOver, findExtractedFile, findExtractionTarget } from './extraction-target.ts';
import { readDocumentPages } from './plan-extraction.ts';

/** What was found makes no object of the schema. */
export class NothingExtracted extends Error {
  override readonly name = 'NothingExtracted';
}

/**
 * Makes the result of an extraction from the answers to its parts. Repeating it changes nothing.
 *
 * @throws NothingExtracted, ExtractionOver
 */
export async function finishExtraction(deps: EndDeps, target: ExtractionTarget): Promise<void> {
  const { em } = deps;
  const extraction = await findExtractionTarget(em, target);
  const parts = await em.find(
    ExtractionPart,
    { extractionId: target.extractionId },
    { orderBy: { part: 'asc' } },
  );
  const data = mergeWindows(parts.map((part) => part.data)) as Record<string, unknown>;
  rejectEmpty(data, extraction);
  const citations = extraction.citationsRequested ? await citationsOf(em, extraction, data) : null;
  if (!(await endExtraction(deps, target, { status: 'completed', data, citations }))) {
    throw new ExtractionOver('the extraction has ended');
  }
}

function rejectEmpty(data: unknown, { schema }: Extraction): void {
  if (!leavesOf(data).some(({ value }) => value !== '')) {
    throw new NothingExtracted('nothing that the schema asks for was found');
  }
  const checked = jsonSchemaCheck({ ...schema })(data);
  if ('value' in checked) return;
  const [problem] = checked.problems;
  throw new NothingExtracted(`what was found makes no object of the schema: ${problem}`);
}

async function citationsOf(em: EntityManager, extraction: Extraction, data: unknown): Promise<Citations> {
  const file = await findExtractedFile(em, extraction);
  if (file?.mediaType === 'document') return cite(data, await readDocumentPages(em, file.id));
  return cite(data, extraction.readPage ? [extraction.readPage] : []);
}
