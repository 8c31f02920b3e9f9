import type { EntityManager } from '@mikro-orm/postgresql';
import {
  type PageRaster,
  type PageWithLines,
  type RecognisedWord,
  recogniseUpright,
  turnUpright,
} from 'darkroom-reader';
import { MAX_LINES_TO_LAY_OUT, modelBelow } from 'darkroom-reader/document';
import type { TextRecogniser } from '../../engines/text-recogniser/text-recogniser.ts';
import type { TextWork } from '../../engines/text-work/text-work.ts';
import { Tenant } from '../../db/entities/accounts/tenant.ts';
import { findTarget, type FileTarget } from '../processing/file-target.ts';
import { languagesOfScans } from './languages-of-scans.ts';
import { findDetails, withDocument, type ReadDocumentDeps } from './document-target.ts';
import { beginPages, type ReadContent, recordPages } from './record-pages.ts';

/**
 * Reads pages that have text, and stores their structure. Repeating it replaces the result.
 *
 * @param given.byModel whether the run has a model, which lays out pages of which the rules are unsure
 * @returns how many of them could not be read
 * @throws FileGone, UploadSessionPaused, UploadSessionCancelled, UnreadableDocument, and the errors of the store
 */
export async function readPages(
  { em, reader, copies }: ReadDocumentDeps,
  target: FileTarget,
  { pages, byModel }: { pages: readonly number[]; byModel: boolean },
  signal: AbortSignal,
): Promise<number> {
  await findTarget(em, target);
  await beginPages(em, target, pages);
  const { profile } = await findDetails(em, target.fileId);
  const unsure = byModel ? await modelBelowOf(em, target) : 0;
  const contents = await withDocument({ em, copies }, target, signal, (source) =>
    reader.readPages(source, profile, pages, signal, unsure),
  );
  return recordPages(
    em,
    target,
    pages,
    contents.map((content) => ('lines' in content ? forModel(content, unsure) : content)),
  );
}

/**
 * Reads a page that is only an image: renders it, recognises its words and lays them out by rules.
 *
 * @param page.byModel whether the run has a model, which lays out pages of which the rules are unsure
 * @returns how many pages could not be read
 * @throws as readPages, TextOverBudget, and the errors of the recogniser
 */
export async function recognisePage(
  { em, reader, copies, recogniser, text }: ReadDocumentDeps & { recogniser: TextRecogniser; text: TextWork },
  target: FileTarget,
  { page, byModel }: { page: number; byModel: boolean },
  signal: AbortSignal,
): Promise<number> {
  await findTarget(em, target);
  await beginPages(em, target, [page]);
  const { profile, recognisedIn } = await findDetails(em, target.fileId);
  const { tenantId } = target;
  const render = async (number: number): Promise<PageRaster> => {
    const shown = await withDocument({ em, copies }, target, signal, (source) =>
      reader.renderPage(source, number, signal),
    );
    const { grey: data, width, height } = shown;
    // Before anything is read: upside down, a page would be read more than twice.
    return turnUpright(
      shown,
      (await recogniser.findTurns({ data, width, height }, { tenantId, signal })) ?? 0,
    );
  };
  const raster = await render(page);
  const languages = await languagesOfScans(
    { em, recogniser },
    target,
    recognisedIn,
    async (number) => (number === page ? raster : render(number)),
    signal,
  );
  const recognise = async ({ width, height, grey: data }: PageRaster): Promise<RecognisedWord[]> => {
    const words = await recogniser.readWords({ data, width, height }, { tenantId, signal, languages });
    return words.map(({ bbox, ...word }) => ({ ...word, ...bbox }));
  };
  const upright = await recogniseUpright(raster, recognise);
  const content = await text.layOutWords({ pageNumber: page, ...upright, profile }, { tenantId, signal });
  const unsure = byModel ? await modelBelowOf(em, target) : 0;
  return recordPages(em, target, [page], [forModel(content, unsure)]);
}

async function modelBelowOf(em: EntityManager, { tenantId }: FileTarget): Promise<number> {
  const { pageLayout } = await em.findOneOrFail(Tenant, tenantId);
  return modelBelow(pageLayout);
}

/** Keeps the lines of a page only if a model is to lay it out. */
function forModel({ lines, ...content }: PageWithLines, unsure: number): ReadContent {
  const { length } = lines.lines;
  const due = content.confidence < unsure && length > 0 && length <= MAX_LINES_TO_LAY_OUT;
  return { ...content, ...(due && { lines }) };
}
