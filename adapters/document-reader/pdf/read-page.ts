import { areaOf, type Box, type QuarterTurns } from '../layout/geometry.ts';
import { isUsableText, mayHaveGraphics } from './page-checks.ts';
import type { PageParts } from '../layout/page-parts.ts';
import { LIMITS } from '../limits.ts';
import type { Pdf, PdfPage } from './open-pdf.ts';
import { hasArabic, mendLigatures, readGlyphs } from './mend-ligatures.ts';
import { readGraphics, type PageGraphics } from './page-graphics.ts';
import {
  isText,
  textByDirection,
  upright,
  type FontLook,
  type PageText,
  type TextItem,
} from './page-runs.ts';
import { UnreadableDocument } from '../document-reader.ts';

/** A page's text layer and drawings. */
export interface PdfPageText {
  /** False for pages that must be recognised. */
  usable: boolean;
  /** By text direction, the one with most text first. */
  parts: (PageParts & { turns: QuarterTurns })[];
}

export interface PageReader {
  read(pageNumber: number): Promise<PdfPageText>;
  /** Reads only as much text as the decision needs. */
  isUsable(pageNumber: number): Promise<boolean>;
}

/** Cached runs, so that an inspected page is not read again: about 60 MB. */
const KEPT_RUNS = 150_000;
/** Fewer characters may be the stamp or the page number of a scan. */
const FEW_CHARACTERS = 250;
/** An image that covers this share of a page with little text is a scan of it. */
const SCAN = 0.5;
/** The engine keeps fonts and images of pages until a cleanup. */
const PAGES_BETWEEN_CLEANUPS = 64;

export function createPageReader(pdf: Pdf): PageReader {
  const fonts = new Map<string, FontLook>();
  const kept = new Map<number, PdfPageText>();
  let keptRuns = 0;
  let pagesRead = 0;

  async function withPage<T>(pageNumber: number, work: (page: PdfPage) => Promise<T>): Promise<T> {
    const page = await pdf.getPage(pageNumber);
    try {
      return await work(page);
    } finally {
      page.cleanup();
      pagesRead += 1;
      if (pagesRead % PAGES_BETWEEN_CLEANUPS === 0) {
        // Fonts get new names afterwards.
        await pdf.cleanup();
        fonts.clear();
      }
    }
  }

  async function readPage(page: PdfPage): Promise<PdfPageText> {
    const { items, styles } = await page.getTextContent();
    const texts = items.filter(isText);
    if (hasArabic(texts)) mendLigatures(texts, await readGlyphs(page));
    const text = texts.map(({ str }) => str).join('');
    if (text.length > LIMITS.pageCharacters)
      throw new UnreadableDocument('too_large', `Page ${page.pageNumber} has ${text.length} characters.`);
    let found = textByDirection(page, texts, fonts);
    let graphics = NOTHING;
    const isNew = Object.keys(styles).some((name) => !fonts.has(name));
    if (isNew || found.some(({ runs, width, height }) => mayHaveGraphics(runs, width, height))) {
      graphics = await readGraphics(page, fonts);
      for (const name of Object.keys(styles))
        if (!fonts.has(name)) fonts.set(name, { bold: false, italic: false });
      if (isNew) found = textByDirection(page, texts, fonts);
    }
    const usable = isUsableText(text) && !(text.length < FEW_CHARACTERS && isScan(page, graphics, texts));
    const parts = found
      .toSorted((a, b) => lettersOf(b) - lettersOf(a))
      .map((text, index) => ({ ...text, ...(index === 0 ? turned(graphics, text) : NOTHING) }));
    return { usable, parts };
  }

  return {
    async read(pageNumber) {
      const known = kept.get(pageNumber);
      if (known) return known;
      const read = await withPage(pageNumber, readPage);
      const runs = read.parts.reduce((sum, part) => sum + part.runs.length + part.rules.length, 0);
      if (keptRuns + runs <= KEPT_RUNS) {
        kept.set(pageNumber, read);
        keptRuns += runs;
      }
      return read;
    },
    isUsable: (pageNumber) =>
      withPage(pageNumber, async (page) => {
        const text = await beginningOf(page);
        return text.length < FEW_CHARACTERS ? (await readPage(page)).usable : isUsableText(text);
      }),
  };
}

const NOTHING: PageGraphics = { rules: [], images: [], drawings: [] };
const lettersOf = ({ runs }: PageText): number => runs.reduce((sum, { text }) => sum + text.length, 0);

function isScan(page: PdfPage, { images }: PageGraphics, texts: readonly TextItem[]): boolean {
  const { width, height } = page.getViewport({ scale: 1 });
  const covering = images.find((box) => areaOf(box) >= SCAN * width * height);
  // An invisible layer of recognised text covers its whole scan; a stamp or a number is only at an edge.
  const heights = texts.filter(({ str }) => str.trim() !== '').map(({ transform }) => Number(transform[5]));
  const spread = Math.max(...heights, 0) - Math.min(...heights, height);
  return covering !== undefined && !(spread > height * 0.25 && texts.length > 8);
}

function turned({ rules, images, drawings }: PageGraphics, { turns, width, height }: PageText): PageGraphics {
  if (turns === 0) return { rules, images, drawings };
  // The frame's sides are the page's, swapped for quarter turns.
  const sides: [number, number] = turns % 2 === 0 ? [width, height] : [height, width];
  const turn = (box: Box): Box => {
    const [ax, ay] = upright(turns, box.x0, box.y0, ...sides);
    const [bx, by] = upright(turns, box.x1, box.y1, ...sides);
    return { x0: Math.min(ax, bx), y0: Math.min(ay, by), x1: Math.max(ax, bx), y1: Math.max(ay, by) };
  };
  return { rules: rules.map(turn), images: images.map(turn), drawings: drawings.map(turn) };
}

async function beginningOf(page: PdfPage): Promise<string> {
  const reader = page.streamTextContent().getReader();
  let text = '';
  while (text.length < 2 * FEW_CHARACTERS) {
    const { done, value } = (await reader.read()) as { done: boolean; value?: { items: TextItem[] } };
    if (done) return text;
    text += (value?.items ?? []).map(({ str }) => str).join('');
  }
  await reader.cancel(new Error('enough')).catch(() => undefined);
  return text;
}
