import type { ElementRole } from '../document/element.ts';
import type { PageElement } from '../document/page.ts';
import { areaOf, type Box, greatest, least, type QuarterTurns, relativeBox } from '../layout/geometry.ts';
import type { PageParts, Run, TaggedBlock } from '../layout/page-parts.ts';
import { cleanText } from '../layout/plain-text.ts';
import { type Annotations, readAnnotations, UnreadableAppearance } from './annotations.ts';
import { hiddenObjects } from './layers.ts';
import type { PageLink } from './links.ts';
import type { Pdf, PdfPage } from './open-pdf.ts';
import { readGraphics, type PageGraphics } from './page-graphics.ts';
import { readText, upright, type PageText } from './page-text.ts';

/** A page's text layer and drawings. */
export interface PdfPageText {
  /** False for pages that must be recognised. */
  usable: boolean;
  /** By text direction, the one with most text first. */
  parts: (PageParts & { turns: QuarterTurns })[];
  /** Texts beside these: remarks of readers, watermarks, and other lines at an angle. */
  asides: PageElement[];
  links: readonly PageLink[];
}

/** Cached runs, so that an inspected page is not read again: about 60 MB. */
const KEPT_RUNS = 150_000;
/** Fewer characters may be the stamp or the page number of a scan. */
const FEW_CHARACTERS = 250;
/** Slanting letters of this size, in points, are a watermark; smaller ones are labels. */
const WATERMARK = 24;
/** Baselines of a label and what is typed beside it, in heights of the font; and how many are compared. */
const SAME_LINE = 0.5;
const MOST_COMPARED = 5_000_000;
const BOX = /^[☒☐]$/u;
/** How far a box is from its label, and a word from the next, in heights of the font. */
const NEXT_TO_BOX = 1.5;
const SPACE = 0.25;
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
    const read = await pdf.withPage(pageNumber, readPage).catch((error: unknown) => {
      if (error instanceof UnreadableAppearance) return pdf.withPage(pageNumber, readWithoutAppearances);
      throw error;
    });
    const runs = read.parts.reduce((sum, part) => sum + part.runs.length + part.rules.length, 0);
    if (keptRuns + runs <= KEPT_RUNS) {
      kept.set(pageNumber, read);
      keptRuns += runs;
    }
    return read;
  };
}

const readPage = (page: PdfPage): PdfPageText => readParts(page, readAnnotations);
const readWithoutAppearances = (page: PdfPage): PdfPageText =>
  readParts(page, () => readAnnotations(page, 0));

function readParts(page: PdfPage, annotationsOf: (page: PdfPage) => Annotations): PdfPageText {
  const hidden = hiddenObjects(page);
  const graphics = readGraphics(page, hidden);
  const { found: written, objects, unmapped, slanted, tags, links } = readText(page, graphics.rules, hidden);
  const text = written.flatMap(({ runs }) => runs.map((run) => run.text)).join(' ');
  const { runs: typed, remarks } = annotationsOf(page);
  const found = typed.length > 0 ? withTyped(written, typed, page) : written;
  const usable =
    isUsableText(text === '' ? typed.map((run) => run.text).join(' ') : text) &&
    unmapped <= text.length * MOST_RUBBISH &&
    !(text.length < FEW_CHARACTERS && isScan(page, graphics, written, objects));
  const parts = found
    .toSorted((a, b) => lettersOf(b) - lettersOf(a))
    .map((some, index) => ({
      ...some,
      outline: page.outline,
      ...(areTrusted(tags, some.runs) && { tags }),
      ...(index === 0 ? turned(graphics, some) : NOTHING),
    }));
  const aside = (content: string, box: Box, role?: ElementRole): PageElement => ({
    type: 'paragraph',
    content: cleanText(content),
    box: relativeBox(box, page),
    ...(role && { role }),
  });
  return {
    usable,
    parts,
    links,
    asides: [
      // Once in the chunks of the document, as what runs over its pages.
      ...slanted.map(({ text: line, box, size }) =>
        aside(line, box, size >= WATERMARK ? 'page_header' : undefined),
      ),
      ...remarks.map((remark) => aside(remark.text, remark.box, 'notes')),
    ],
  };
}

/** Tags that call more of a page with text titles are not its author's. */
const MOST_TITLES = 0.5;
const FEW_LETTERS = 600;

function areTrusted(tags: readonly TaggedBlock[], runs: readonly Run[]): boolean {
  const letters = (some: readonly Run[]): number => some.reduce((sum, { text }) => sum + text.length, 0);
  const all = letters(runs);
  const titles = letters(runs.filter(({ tag = -1 }) => tags[tag]?.level));
  return tags.length > 0 && (all < FEW_LETTERS || titles < all * MOST_TITLES);
}

/** What is typed is upright text of the page: on the line of its label, if it has one. */
function withTyped(
  found: readonly PageText[],
  typed: readonly Run[],
  { width, height }: PdfPage,
): PageText[] {
  const upright = found.find(({ turns }) => turns === 0);
  const others = found.filter((text) => text !== upright);
  const written = upright?.runs ?? [];
  const onLine = (run: Run): Run => {
    const label = written.find((other) => Math.abs(other.baseline - run.baseline) < other.size * SAME_LINE);
    if (!label) return run;
    const { size, baseline } = label;
    // A box before its label is no column of its own.
    const next = written.find(
      (other) =>
        BOX.test(run.text) &&
        Math.abs(other.baseline - baseline) < size * SAME_LINE &&
        other.x0 >= run.x1 &&
        other.x0 - run.x1 < size * NEXT_TO_BOX,
    );
    return { ...run, size, baseline, ...(next && { x1: next.x0 - size * SPACE }) };
  };
  const runs = [...written, ...(written.length * typed.length > MOST_COMPARED ? typed : typed.map(onLine))];
  return [{ turns: 0, width, height, runs }, ...others];
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
