/** Which blocks of a column are headings, by what stands around them. */
import { HEADING_WORDS } from '../document/page-line.ts';
import { headingStyle, isHeading, type BodyStyle, type HeadingStyle } from './headings.ts';
import { isContentsLine, listMarker } from './list-marker.ts';
import type { FoundTitle } from './outline-titles.ts';
import type { Segment } from './page-parts.ts';
import { makeBlock, type TextBlock } from './text-blocks.ts';

interface Surroundings {
  body: BodyStyle;
  /** The line above in the same column. */
  before: Segment | undefined;
  /** The title of the document's outline that the block is. */
  title: FoundTitle | undefined;
  /** Whether the page is one of a table of contents. */
  isContents: boolean;
}

/** A wider distance than this many heights of the font is none of a paragraph's lines. */
const APART = 1.5;
/** Lines of a table of contents on a page, from which its bold lines are some of them as well. */
const CONTENTS_LINES = 4;
const ENDS_WITH_PAGE = /(?:[\p{L}\p{N})?!…]|\.\s?\.)\s+(?:\d{1,4}|[ivxlc]{1,7})$/u;

/** Whether a page has so many lines with dot leaders that it is of a table of contents. */
export function isContentsPage(segments: readonly Segment[]): boolean {
  let lines = 0;
  return segments.some(({ text }) => isContentsLine(text) && ++lines >= CONTENTS_LINES);
}

/** The style of a block that is a heading. */
export function headingOf(block: TextBlock, around: Surroundings): HeadingStyle | undefined {
  const style = headingStyle(block.text, block);
  if (around.title) {
    const { level } = around.title;
    return { ...style, ...(level !== undefined && { outline: level }) };
  }
  if (isContentsLine(block.text) || (around.isContents && ENDS_WITH_PAGE.test(block.text))) return undefined;
  if (listMarker(block.text) !== undefined && style.depth === 0) return undefined;
  const look = {
    ...style,
    monospaced: block.monospaced,
    italic: block.lines.every(({ italic }) => italic),
    gap: gapAbove(block, around.before),
  };
  if (!isHeading(block.text, look, around.body, block.lines.length)) return undefined;
  return continuesLine(block, around) ? undefined : style;
}

const gapAbove = ({ lines: [first] }: TextBlock, before: Segment | undefined): number =>
  first && before ? (first.baseline - before.baseline) / first.size : Infinity;

/** Whether a block in bold goes on with the sentence of the full line above it. */
function continuesLine(block: TextBlock, { before, body }: Surroundings): boolean {
  if (!before || before.bold || block.size > body.size * 1.05 || gapAbove(block, before) > APART)
    return false;
  const isFull = before.x1 > block.column.x1 - (block.column.x1 - block.column.x0) * 0.15;
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
