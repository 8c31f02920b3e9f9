import type { EntityManager } from '@mikro-orm/postgresql';
import { mostInkedPart, type PageRaster, turnBack, UnreadableDocument } from 'darkroom-reader';
import { RecogniserTimeout, type TextRecogniser } from '../../engines/text-recogniser/text-recogniser.ts';
import { DocumentDetails } from '../../db/entities/documents/document-details.ts';
import type { FileTarget } from '../processing/file-target.ts';

/** Where in the scanned part of a document its pages are compared: the first and last ones are often covers. */
const SAMPLES = [0.5, 0.25, 0.75];

/**
 * The languages in which all scanned pages of a document are recognised, by the strip with the most text on three of them.
 * The choice is kept, so that the pages agree. Two pages that are read at once look at the same strip.
 *
 * @param known those that were kept
 * @param render a page, from 1
 * @returns none if the strip is not legible in any language: then each page is judged alone
 * @throws the errors of `render` and of the recogniser
 */
export async function languagesOfScans(
  { em, recogniser }: { em: EntityManager; recogniser: TextRecogniser },
  { fileId, tenantId }: FileTarget,
  known: readonly string[] | null | undefined,
  render: (page: number) => Promise<PageRaster>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (known) return known;
  const [sample] = await em.execute<{ pages: number[] | null }[]>(
    `select percentile_disc(array[${SAMPLES.join(', ')}]) within group (order by page_number) as pages
     from document_pages where file_id = ? and needs_ocr`,
    [fileId],
  );
  const rendered: PageRaster[] = [];
  for (const page of new Set(sample?.pages)) {
    const raster = await render(page).catch(unlessFinal);
    if (raster) rendered.push(raster);
  }
  const part = mostInkedPart(rendered);
  const found = part && (await readInAnyTurn(recogniser, part, { tenantId, signal }));
  const languages = [...(found ?? [])];
  await em.nativeUpdate(DocumentDetails, { fileId, recognisedIn: null }, { recognisedIn: languages });
  return languages;
}

async function readInAnyTurn(
  recogniser: TextRecogniser,
  part: PageRaster,
  options: { tenantId: string; signal: AbortSignal },
): Promise<readonly string[] | undefined> {
  for (const turns of [0, 2, 1, 3] as const) {
    const { grey: data, width, height } = turnBack(part, turns);
    const languages = await recogniser.findLanguages({ data, width, height }, options).catch(unlessFinal);
    if (languages) return languages;
  }
  return undefined;
}

/** A page that can never be read fails alone, and tells nothing about the others. */
function unlessFinal(error: unknown): undefined {
  if (!(error instanceof UnreadableDocument) && !(error instanceof RecogniserTimeout)) throw error;
}
