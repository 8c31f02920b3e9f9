import { PDFDateString } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { createCanvas } from '@napi-rs/canvas';
import type { PageContent, PageElement } from '../../../domain/documents/page.ts';
import {
  type DocumentFacts,
  type OpenDocument,
  UnreadableDocument,
  type PageRaster,
} from '../document-reader.ts';
import { detectLanguage } from '../language.ts';
import { turnBox } from '../layout/geometry.ts';
import { headingTiers } from '../layout/headings.ts';
import { headingStyles, layOutPage } from '../layout/lay-out-page.ts';
import type { PageParts } from '../layout/page-parts.ts';
import { cleanText } from '../layout/plain-text.ts';
import { bodyStyle, countStyles, isLayoutProfile, type LayoutProfile } from '../layout/profile.ts';
import { marginLine, marginRows, runningLines } from '../layout/running-lines.ts';
import { toSegments } from '../layout/segments.ts';
import { explainPdfFailure, openPdf, type Pdf } from './open-pdf.ts';
import { createPageReader, type PdfPageText } from './read-page.ts';
import { LIMITS } from '../limits.ts';
import { straighten } from '../ocr-layout/straighten.ts';
import { runsSideways, turnBack } from '../ocr-layout/turn-raster.ts';

/** Recommended for text recognition, and a little more than small print needs. */
const DPI = 200;

const POINTS_PER_INCH = 72;

/** Pages from which a document's profile is learned, spread over the whole document. */
const SAMPLED_PAGES = 150;
/** Maximum number of pages sampled for the language, and of characters of each. */
const PAGES_WITH_LANGUAGE = 60;
const SAMPLE_OF_PAGE = 1_500;
/** Font sizes that differ by less than this share are the same. */
const SAME_SIZE = 0.03;

/** @throws UnreadableDocument */
export async function openPdfDocument(path: string): Promise<OpenDocument> {
  const pdf = await openPdf(path);
  const reader = createPageReader(pdf);

  async function inspect(): Promise<DocumentFacts> {
    const learned = createLearner();
    const pagesToRecognise: number[] = [];
    let failed = 0;
    let failure: unknown;
    const unread = (error: unknown): false => {
      failed += 1;
      failure = error;
      return false;
    };
    const every = Math.max(1, Math.ceil(pdf.numPages / SAMPLED_PAGES));
    for (let number = 1; number <= pdf.numPages; number++) {
      // Pairs of neighbours, since the headers of left and right pages differ.
      const sampled = Math.floor((number - 1) / 2) % every === 0;
      // A page without readable text may still be rendered; otherwise only that page fails.
      const usable = sampled
        ? await reader.read(number).then((page) => page.usable && learned.add(number, page), unread)
        : await reader.isUsable(number).catch(unread);
      if (!usable) pagesToRecognise.push(number);
    }
    if (failed === pdf.numPages) throw explainPdfFailure(failure);
    return {
      pageCount: pdf.numPages,
      ...(await readFacts(pdf)),
      language: learned.language(),
      pagesToRecognise,
      profile: learned.profile(),
    };
  }

  async function readPage(number: number, profile: LayoutProfile | undefined): Promise<PageContent> {
    const page = await reader.read(number).catch((error: unknown) => {
      throw explainPdfFailure(error);
    });
    const elements = page.parts.flatMap(({ turns, ...parts }): PageElement[] =>
      layOutPage(parts, { profile, pageNumber: number }).map((element) => ({
        ...element,
        box: turnBox(element.box, turns),
      })),
    );
    const language = detectLanguage(elements.map(({ content }) => content).join(' '));
    return { pageNumber: number, source: 'text_layer', language, elements };
  }

  return {
    pageCount: pdf.numPages,
    inspect,
    async readPages(profile, pageNumbers) {
      const known = isLayoutProfile(profile) ? profile : undefined;
      const pages: PageContent[] = [];
      for (const number of pageNumbers) {
        if (number < 1 || number > pdf.numPages)
          throw new UnreadableDocument('damaged', `The document has no page ${number}.`);
        pages.push(await readPage(number, known));
      }
      return pages;
    },
    renderPage: (number) =>
      renderPdfPage(pdf, number).catch((error: unknown) => {
        throw explainPdfFailure(error);
      }),
    close: () => pdf.loadingTask.destroy(),
  };
}

/** Learns the common properties of a document's pages. */
function createLearner() {
  const pages: (PageParts & { pageNumber: number })[] = [];
  const counts = new Map<string, number>();
  const languages = new Map<string, number>();
  return {
    add(pageNumber: number, page: PdfPageText): true {
      const [parts] = page.parts;
      if (!parts) return true;
      pages.push({ ...parts, pageNumber });
      countStyles(parts.runs, counts);
      if (pages.length <= PAGES_WITH_LANGUAGE) {
        const text = parts.runs.map((run) => run.text).join(' ');
        const language = detectLanguage(text.slice(0, SAMPLE_OF_PAGE));
        if (language) languages.set(language, (languages.get(language) ?? 0) + 1);
      }
      return true;
    },
    /** The language of most pages: tables of contents and listings are unreliable. */
    language: () => [...languages].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? null,
    profile(): LayoutProfile {
      const body = bodyStyle(counts);
      const margins = pages.map(({ runs, height, pageNumber: number }) =>
        marginRows(toSegments(runs), height).flatMap(
          (row) => marginLine(row, body, { number, height }) ?? [],
        ),
      );
      const profile = { body, headings: [], running: runningLines(margins) };
      const styles = pages.flatMap((page) => headingStyles(page, profile, page.pageNumber));
      return { ...profile, headings: headingTiers(styles, SAME_SIZE) };
    },
  };
}

const LONGEST = 500;

/** Metadata of a PDF; usually missing, sometimes wrong. */
async function readFacts(pdf: Pdf): Promise<Pick<DocumentFacts, 'title' | 'author' | 'createdAt'>> {
  const { info } = await pdf.getMetadata().catch(() => ({ info: {} }));
  const { Title, Author, CreationDate } = info as Partial<Record<string, unknown>>;
  const date = typeof CreationDate === 'string' ? PDFDateString.toDateObject(CreationDate) : null;
  return { title: asText(Title), author: asText(Author), createdAt: date?.toISOString() ?? null };
}

function asText(value: unknown): string | null {
  const text = typeof value === 'string' ? cleanText(value).trim().slice(0, LONGEST) : '';
  return text === '' ? null : text;
}

/** Renders a page upright and deskewed, at 200 dpi or less if the pixel limit requires it. */
async function renderPdfPage(pdf: Pdf, pageNumber: number): Promise<PageRaster> {
  const page = await pdf.getPage(pageNumber);
  try {
    const points = page.getViewport({ scale: 1 });
    const most = Math.sqrt(LIMITS.rasterPixels / (points.width * points.height));
    const scale = Math.min(DPI / POINTS_PER_INCH, most);
    const viewport = page.getViewport({ scale });
    const [width, height] = [
      Math.max(1, Math.floor(viewport.width)),
      Math.max(1, Math.floor(viewport.height)),
    ];
    const canvas = createCanvas(width, height);
    const context = canvas.getContext('2d');
    await page.render({
      canvas: canvas as never,
      canvasContext: context,
      viewport,
      background: '#ffffff',
    }).promise;
    const { data } = context.getImageData(0, 0, width, height);
    const grey = new Uint8Array(width * height);
    for (let pixel = 0; pixel < grey.length; pixel++) {
      const at = pixel * 4;
      // Luminance by Rec. 601, in integers.
      grey[pixel] = ((data[at] ?? 0) * 77 + (data[at + 1] ?? 0) * 150 + (data[at + 2] ?? 0) * 29) >> 8;
    }
    const shown: PageRaster = { width, height, grey, dpi: scale * POINTS_PER_INCH, turns: 0 };
    return straighten(runsSideways(shown) ? turnBack(shown, 1) : shown);
  } finally {
    page.cleanup();
    await pdf.cleanup();
  }
}
