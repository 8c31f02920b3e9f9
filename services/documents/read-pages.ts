import {
  type PageRaster,
  type RecognisedWord,
  recogniseUpright,
} from '../../adapters/document-reader/index.ts';
import type { TextRecogniser } from '../../adapters/models/ocr/text-recogniser.ts';
import type { TextWork } from '../../adapters/text-work/text-work.ts';
import { MAX_LINES_TO_LAY_OUT } from '../../domain/documents/page-layout.ts';
import { findTarget, type FileTarget } from '../processing/file-target.ts';
import { languagesOfScans } from './languages-of-scans.ts';
import { findDetails, withDocument, type ReadDocumentDeps } from './document-target.ts';
import { beginPages, recordPages } from './record-pages.ts';

/**
 * Reads pages that have text, and stores their structure. Repeating it replaces the result.
 *
 * @returns how many of them could not be read
 * @throws FileGone, UploadSessionPaused, UploadSessionCancelled, UnreadableDocument, and the errors of the store
 */
export async function readPages(
  { em, reader, copies }: ReadDocumentDeps,
  target: FileTarget,
  pages: readonly number[],
  signal: AbortSignal,
): Promise<number> {
  await findTarget(em, target);
  await beginPages(em, target, pages);
  const { profile } = await findDetails(em, target.fileId);
  const contents = await withDocument({ em, copies }, target, signal, (source) =>
    reader.readPages(source, profile, pages, signal),
  );
  return recordPages(em, target, pages, contents);
}

/**
 * Reads a page that is only an image: renders it, recognises its words and lays them out by rules.
 *
 * @param page.byModel whether a model is to lay it out afterwards
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
  const render = (number: number): Promise<PageRaster> =>
    withDocument({ em, copies }, target, signal, (source) => reader.renderPage(source, number, signal));
  const raster = await render(page);
  const languages = await languagesOfScans(
    { em, recogniser },
    target,
    recognisedIn,
    async (number) => (number === page ? raster : render(number)),
    signal,
  );
  const recognise = async ({ width, height, grey: data }: PageRaster): Promise<RecognisedWord[]> => {
    const options = { tenantId: target.tenantId, signal, languages };
    const words = await recogniser.readWords({ data, width, height }, options);
    return words.map(({ bbox, ...word }) => ({ ...word, ...bbox }));
  };
  const upright = await recogniseUpright(raster, recognise);
  const { recognised, ...content } = await text.layOutWords(
    { pageNumber: page, ...upright, profile },
    { tenantId: target.tenantId, signal },
  );
  const lines = recognised.lines.length;
  const due = byModel && lines > 0 && lines <= MAX_LINES_TO_LAY_OUT;
  return recordPages(em, target, [page], [{ ...content, ...(due && { recognised }) }]);
}
