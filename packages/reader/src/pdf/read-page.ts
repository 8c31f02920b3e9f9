import { areaOf, type Box, greatest, least, type QuarterTurns } from '../layout/geometry.ts';
import type { PageParts } from '../layout/page-parts.ts';
import type { Pdf, PdfPage } from './open-pdf.ts';
import { readGraphics, type PageGraphics } from './page-graphics.ts';
import { readText, upright, type PageText } from './page-text.ts';

/** A page's text layer and drawings. */
export interface PdfPageText {
  /** False for pages that must be recognised. */
  usable: boolean;
  /** By text direction, the one with most text first. */
  parts: (PageParts & { turns: QuarterTurns })[];
}

/** Cached runs, so that an inspected page is not read again: about 60 MB. */
const KEPT_RUNS = 150_000;
/** Fewer characters may be the stamp or the page number of a scan. */
const FEW_CHARACTERS = 250;
/** An image that covers this share of a page with little text is a scan of it. */
const SCAN = 0.5;
/** A layer of recognised text has more pieces of text, over more of the page's height. */
const STAMP = { objects: 8, height: 0.25 } as const;

/** Reads pages of a document, and keeps them, as a page is inspected before it is laid out. */
export function createPageReader(pdf: Pdf): (pageNumber: number) => Promise<PdfPageText> {
  const kept = new Map<number, PdfPageText>();
  let keptRuns = 0;
  return async (pageNumber) => {
    const known = kept.get(pageNumber);
    if (known) return known;
    const read = await pdf.withPage(pageNumber, readPage);
    const runs = read.parts.reduce((sum, part) => sum + part.runs.length + part.rules.length, 0);
    if (keptRuns + runs <= KEPT_RUNS) {
      kept.set(pageNumber, read);
      keptRuns += runs;
    }
    return read;
  };
}

function readPage(page: PdfPage): PdfPageText {
  const { found, objects, unmapped } = readText(page);
  const graphics = readGraphics(page);
  const text = found.flatMap(({ runs }) => runs.map((run) => run.text)).join(' ');
  const usable =
    isUsableText(text) &&
    unmapped <= text.length * MOST_RUBBISH &&
    !(text.length < FEW_CHARACTERS && isScan(page, graphics, found, objects));
  const parts = found
    .toSorted((a, b) => lettersOf(b) - lettersOf(a))
    .map((some, index) => ({
      ...some,
      outline: page.outline,
      ...(index === 0 ? turned(graphics, some) : NOTHING),
    }));
  return { usable, parts };
}

const NOTHING: PageGraphics = { rules: [], images: [], drawings: [] };
const lettersOf = ({ runs }: PageText): number => runs.reduce((sum, { text }) => sum + text.length, 0);

function isScan(
  { width, height }: PdfPage,
  { images }: PageGraphics,
  found: readonly PageText[],
  objects: number,
): boolean {
  const covering = images.find((box) => areaOf(box) >= SCAN * width * height);
  // An invisible layer of recognised text covers its whole scan; a stamp or a number is only at an edge.
  const heights = found.flatMap(({ runs }) => runs.map(({ baseline }) => baseline));
  const spread = Math.max(greatest(heights), 0) - Math.min(least(heights), height);
  return covering !== undefined && !(spread > height * STAMP.height && objects > STAMP.objects);
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

/** Replacement, private use, unassigned and control characters, produced by fonts without a character map. */
const RUBBISH = /[\uFFFD\p{Co}\p{Cn}]|(?![\t\n\r])\p{Cc}/gu;
/** With a larger share, the rest cannot be trusted either. */
const MOST_RUBBISH = 0.12;
const LETTER = /[\p{L}\p{N}]/gu;
/** Minimum share of letters: text of symbols only is a broken encoding. */
const FEWEST_LETTERS = 0.3;

/** Whether a page's text can be used as it is; otherwise the page must be rendered and recognised. */
export function isUsableText(text: string): boolean {
  // Dot leaders of contents and lines of forms are neither text nor rubbish.
  const dense = text.replaceAll(/\s+|(?:[._\-·…]\s*){3,}/gu, '');
  if (dense.length === 0) return false;
  const rubbish = dense.match(RUBBISH)?.length ?? 0;
  const letters = dense.match(LETTER)?.length ?? 0;
  if (rubbish > dense.length * MOST_RUBBISH) return false;
  return dense.length < 20 ? letters > 0 : letters >= dense.length * FEWEST_LETTERS;
}
