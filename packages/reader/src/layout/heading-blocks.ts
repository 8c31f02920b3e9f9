/** Which blocks of a column are headings, by what stands around them. */
import { HEADING_WORDS, pageNumberOf } from '../document/page-line.ts';
import { median } from './geometry.ts';
import { headingStyle, isHeading, type BodyStyle, type HeadingStyle } from './headings.ts';
import { isContentsLine, listMarker } from './list-marker.ts';
import type { FoundTitle } from './outline-titles.ts';
import type { Segment } from './page-parts.ts';
import { toRows } from './segments.ts';
import { makeBlock, type TextBlock } from './text-blocks.ts';

interface Surroundings {
  body: BodyStyle;
  /** The line above in the same column. */
  before: Segment | undefined;
  /** The title of the document's outline that the block is. */
  title: FoundTitle | undefined;
  /** Whether a block is of a table of contents. */
  isOfContents: (block: TextBlock) => boolean;
}

/** A wider distance than this many heights of the font is none of a paragraph's lines. */
const APART = 1.5;
/** Lines of a table of contents on a page, from which its bold lines are some of them as well. */
const CONTENTS_LINES = 4;
const ENDS_WITH_PAGE = /(?:[\p{L}\p{N})?!…]|\.\s?\.)\s+(?:\p{Nd}{1,4}|[ivxlc]{1,7})$/u;
/** Without leaders, so many numbers of pages are below each other, at one edge to a few points. */
const FEWEST_PAGES = 3;
const PAGE_NUMBER = /^(?:\p{Nd}{1,4}|[ivxlc]{1,7})$/u;
const SAME_EDGE = 3;

/**
 * Tells the lines of tables of contents on a page: those with dot leaders; if they are several, others that end with a number;
 * and titles before numbers of pages that stand below each other and count up.
 */
export function createContentsFinder(segments: readonly Segment[]): (block: TextBlock) => boolean {
  const isLed = segments.filter(({ text }) => isContentsLine(text)).length >= CONTENTS_LINES;
  const numbers = toRows(segments).flatMap((row) =>
    row.length > 1 ? row.filter(({ text }) => PAGE_NUMBER.test(text)) : [],
  );
  const [lefts, rights] = [edgesOf(numbers, ({ x0 }) => x0), edgesOf(numbers, ({ x1 }) => x1)];
  const isAt = (edges: readonly number[], edge: number): boolean =>
    edges.some((known) => Math.abs(known - edge) < SAME_EDGE);
  return ({ text, box }) =>
    isContentsLine(text) ||
    (ENDS_WITH_PAGE.test(text) && (isLed || isAt(lefts, box.x0) || isAt(rights, box.x1)));
}

/** The edges at which numbers count up. */
function edgesOf(numbers: readonly Segment[], edgeOf: (segment: Segment) => number): number[] {
  const groups: Segment[][] = [];
  let last = -Infinity;
  for (const number of numbers.toSorted((a, b) => edgeOf(a) - edgeOf(b))) {
    if (edgeOf(number) - last < SAME_EDGE) groups.at(-1)?.push(number);
    else groups.push([number]);
    last = edgeOf(number);
  }
  return groups.filter(countUp).map((group) => median(group.map(edgeOf)));
}

function countUp(numbers: readonly Segment[]): boolean {
  const pages = numbers.toSorted((a, b) => a.baseline - b.baseline).map(({ text }) => pageNumberOf(text));
  return pages.length >= FEWEST_PAGES && pages.every((page, at) => page >= (pages[at - 1] ?? 0));
}

/** The style of a block that is a heading. */
export function headingOf(block: TextBlock, around: Surroundings): HeadingStyle | undefined {
  const style = headingStyle(block.text, block);
  if (around.title) {
    const { level } = around.title;
    return { ...style, ...(level !== undefined && { outline: level }) };
  }
  if (around.isOfContents(block)) return undefined;
  if (listMarker(block.text) !== undefined && style.depth === 0) return undefined;
  const look = {
    ...style,
    monospaced: block.monospaced,
    italic: block.lines.every(({ italic }) => italic) && !isIndented(block),
    gap: gapAbove(block, around.before),
  };
  if (!isHeading(block.text, look, around.body, block.lines.length)) return undefined;
  return continuesLine(block, around) ? undefined : style;
}

/** Examples and quotations are set like titles, but within the column. */
function isIndented({ box, column, size, rightToLeft }: TextBlock): boolean {
  const [left, right] = [box.x0 - column.x0, column.x1 - box.x1];
  return (rightToLeft ? right : left) > 2 * size && Math.abs(left - right) > 4 * size;
}

const gapAbove = ({ lines: [first] }: TextBlock, before: Segment | undefined): number =>
  first && before ? (first.baseline - before.baseline) / first.size : Infinity;

/** Whether a block in bold goes on with the sentence of the full line above it. */
function continuesLine(block: TextBlock, { before, body }: Surroundings): boolean {
  if (!before || before.bold || block.size > body.size * 1.05 || gapAbove(block, before) > APART)
    return false;
  const { x0, x1 } = block.column;
  const room = before.rightToLeft ? before.x0 - x0 : x1 - before.x1;
  const isFull = room < (x1 - x0) * 0.15;
  return isFull && !/[.!?:;]["'”’»)\]]*$/.test(before.text);
}

/** The number of a chapter in a line of its own. */
const LABEL = new RegExp(String.raw`^(?:${HEADING_WORDS})\s+(?:\d{1,3}|[A-Z]|[IVXL]{1,6})[.:]?$`, 'iu');
const ENDED = /[.!?:]["'”’»)\]]*$/;
/** Lines of one title are no further apart than these heights of their font. */
const NEXT_LINE = 1.45;

interface HeadingPart {
  kind: 'heading';
  block: TextBlock;
  style: HeadingStyle;
}

/** Joins the number of a chapter with its title, and the sentences of one title. */
export function joinHeadings<T extends { kind: string }>(
  parts: readonly (T | HeadingPart)[],
): (T | HeadingPart)[] {
  const joined: (T | HeadingPart)[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (!isHeadingPart(part) || last === undefined || !isHeadingPart(last) || !belongs(last, part)) {
      joined.push(part);
      continue;
    }
    const lines = [...last.block.lines, ...part.block.lines];
    const larger = part.style.size >= last.style.size ? part.style : last.style;
    const outline = part.style.outline ?? last.style.outline;
    const block = { ...makeBlock(lines, part.block.column), size: larger.size };
    const style = { ...larger, depth: last.style.depth, ...(outline !== undefined && { outline }) };
    joined.splice(-1, 1, { kind: 'heading', block, style });
  }
  return joined;
}

const isHeadingPart = (part: { kind: string }): part is HeadingPart => part.kind === 'heading';

function belongs(last: HeadingPart, part: HeadingPart): boolean {
  if (LABEL.test(last.block.text)) return part.style.depth === 0;
  const [end, begin] = [last.block.lines.at(-1), part.block.lines[0]];
  return (
    part.style.depth === 0 &&
    part.style.outline === undefined &&
    ENDED.test(last.block.text) &&
    end !== undefined &&
    begin !== undefined &&
    part.style.bold === last.style.bold &&
    Math.abs(part.style.size - last.style.size) < 0.03 * part.style.size &&
    begin.baseline - end.baseline < NEXT_LINE * begin.size
  );
}
