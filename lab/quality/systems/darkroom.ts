import { createDocumentReader } from '../../../engines/document-reader/create-document-reader.ts';
import {
  layOutWords,
  type PageRaster,
  type RecognisedWord,
  recogniseUpright,
  turnUpright,
  settlePages,
} from 'darkroom-reader';
import { onOneLine, plainText, type PageContent, type PageElement } from 'darkroom-reader/document';
import { createProcessPool } from '../../../engines/hosts/process-pool.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { onnxConfig } from '../../../engines/onnx/config.ts';
import { createPpocrRecogniser, findTextModels } from '../../../engines/text-recogniser/ppocr-recogniser.ts';
import { createTesseractRecogniser } from '../../../engines/text-recogniser/tesseract-recogniser.ts';
import type { TextRecogniser } from '../../../engines/text-recogniser/text-recogniser.ts';
import type { Extraction, QualityDocument } from '../truth.ts';
import type { System } from './system.ts';

/** The product, whose pages can be used by its other parts. */
export interface Darkroom extends System {
  pages(document: QualityDocument, path: string): Promise<PageContent[]>;
  /** The pages, and the language of the document as ISO 639-1, if it is known. */
  read(document: QualityDocument, path: string): Promise<ReadDocument>;
}

export interface ReadDocument {
  pages: PageContent[];
  language: string | null;
}

const DARKROOM = 'Darkroom';

export interface DarkroomOptions {
  name?: string;
  /** Languages for recognition; by default the language of each scan. */
  languages?: readonly string[];
  /** Where the models are; by default in the usual folder. */
  env?: Parameters<typeof readConfig>[1];
  /** Whether this system is compared on a document; by default on all. */
  takes?: (document: QualityDocument) => boolean;
}

export function createDarkroom(
  signal: AbortSignal,
  { name = DARKROOM, languages, takes = () => true, env = {} }: DarkroomOptions = {},
): Darkroom {
  const reader = createDocumentReader({ createPool: createProcessPool, slots: 1 });
  const recognisers = new Map<string, TextRecogniser>();
  function recogniserOf(document: QualityDocument): TextRecogniser {
    const codes = languages ?? [document.language ?? 'eng'];
    const key = codes.join('+');
    const options = { languages: codes, slots: 1 };
    const known =
      recognisers.get(key) ??
      createPpocrRecogniser({
        ...options,
        models: () => findTextModels(readConfig([onnxConfig], env)),
        fallback: createTesseractRecogniser(options),
      });
    recognisers.set(key, known);
    return known;
  }
  async function read(document: QualityDocument, path: string): Promise<ReadDocument> {
    const recogniser = recogniserOf(document);
    const recognise = async ({ grey: data, width, height }: PageRaster): Promise<RecognisedWord[]> => {
      const words = await recogniser.readWords({ data, width, height }, { tenantId: 'quality', signal });
      return words.map(({ bbox, ...word }) => ({ ...word, ...bbox }));
    };
    const { type } = document;
    const source = { path, type, tenantId: 'quality' };
    const { pageCount, pagesToRecognise, profile, language } = await reader.inspect(source, signal);
    const pages: PageContent[] = [];
    for (let number = 1; number <= pageCount; number++) {
      if (!pagesToRecognise.includes(number)) {
        pages.push(...(await reader.readPages(source, profile, [number], signal)));
        continue;
      }
      const shown = await reader.renderPage(source, number, signal);
      const { grey: data, width, height } = shown;
      const turns = await recogniser.findTurns({ data, width, height }, { tenantId: 'quality', signal });
      const raster = turnUpright(shown, turns ?? 0);
      const upright = await recogniseUpright(raster, recognise);
      pages.push(layOutWords(number, upright.raster, upright.words, profile));
    }
    return { pages: settlePages(pages), language };
  }
  return {
    name,
    read,
    pages: async (document, path) => (await read(document, path)).pages,
    extract: async (document, path) =>
      takes(document)
        ? extractionOf((await read(document, path)).pages.flatMap(({ elements }) => elements))
        : undefined,
    async close() {
      await Promise.all([reader.close(), ...[...recognisers.values()].map((one) => one.close())]);
    },
  };
}

export function extractionOf(elements: readonly PageElement[]): Extraction {
  const extraction: Extraction = { text: '', headings: [], tables: [] };
  for (const element of elements) {
    const { type, role } = element;
    if (role === 'page_header' || role === 'page_footer') continue;
    if (type === 'heading') extraction.headings.push({ text: element.content, level: element.level });
    if (type === 'code') (extraction.code ??= []).push(element.content);
    if (type === 'table') {
      const { headerRepeated, headerRows = 1 } = element;
      // The header is in the document once.
      const rows = headerRepeated ? element.rows.slice(headerRows) : element.rows;
      extraction.tables.push(rows.map((row) => row.map(onOneLine)));
      extraction.text += `${rows.flat().join('\n')}\n`;
    } else if (type === 'list') extraction.text += `${element.items.map(({ text }) => text).join('\n')}\n`;
    else extraction.text += `${plainText(element)}\n`;
  }
  return extraction;
}
