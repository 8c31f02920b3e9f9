import type { PageElement } from '../document/page.ts';
import type { LaidOutElement, TextLine, PageLines } from '../document/page-layout.ts';
import type { FoundPart } from '../layout/find-parts.ts';
import { type Box, boxAround, overlapX } from '../layout/geometry.ts';
import { headingLevel, headingStyle, relativeSize, usualLevel } from '../layout/headings.ts';
import { listMarker } from '../layout/list-marker.ts';
import type { Segment } from '../layout/page-parts.ts';
import { presentPart, turnElement } from '../layout/present-part.ts';
import { makeSegment } from '../layout/segments.ts';
import { makeBlock, type TextBlock } from '../layout/text-blocks.ts';
import { pageProfile } from '../layout/profile.ts';

/** Lines of one element, by their numbers. */
interface Placed {
  element: LaidOutElement;
  numbers: readonly number[];
}

/**
 * Builds the elements of a recognised page from a model's layout. Lines keep their words; lines missing in the layout
 * become paragraphs at their place.
 *
 * @param elements without problems, see `layoutProblems`
 * @param profile of the document
 */
export function arrangeLines(
  page: PageLines,
  elements: readonly LaidOutElement[],
  profile: unknown,
): PageElement[] {
  const segments = page.lines.map(toSegment);
  const { body, headings } = pageProfile(
    profile,
    segments.flatMap(({ runs }) => runs),
  );
  const placed = withForgotten(elements, segments);
  return placed.flatMap(({ element, numbers }): PageElement[] => {
    const lines = numbers.flatMap((number) => segments[number - 1] ?? []);
    const part = toPart(element, numbers, lines, page);
    if (!part) return [];
    const presented = presentPart(
      part,
      (block, style) => ({
        level: headings.length > 0 ? headingLevel(style, headings) : usualLevel(style, body),
        fontSize: block.size,
        relativeSize: relativeSize(style, body),
      }),
      page,
    );
    const { role } = element;
    return [{ ...turnElement(presented, page.turns), ...(role && { role }) }];
  });
}

function toPart(
  { type, role, starts, rows, box }: LaidOutElement,
  numbers: readonly number[],
  lines: readonly Segment[],
  { width, height }: PageLines,
): FoundPart | undefined {
  const drawn: Box | undefined =
    box && type === 'figure'
      ? { x0: box.x * width, y0: box.y * height, x1: (box.x + box.w) * width, y1: (box.y + box.h) * height }
      : undefined;
  if (lines.length === 0) return drawn && { kind: 'figure', box: drawn };
  const around = boxAround(lines);
  const block = makeBlock(lines, around);
  if (role === 'page_header' || role === 'page_footer')
    return { kind: 'running', role, segments: [...lines] };
  if (role === null && (type === 'table' || type === 'key_value')) {
    const cells = rows.map((row) => row.map((cell) => cell.trim().replaceAll(/\s+/gu, ' ')));
    if (type === 'table') return { kind: 'table', table: { box: around, rows: cells } };
    const [[key = '', value = ''] = []] = cells;
    return { kind: 'pair', key: key.replace(/(?<!\s)\s*:$/, ''), value, box: around };
  }
  if (type === 'figure') return { kind: 'figure', box: drawn ?? around, caption: block };
  if (type === 'list') return { kind: 'list', items: toItems(lines, numbers, starts, around) };
  if (type === 'code' && role === null) return { kind: 'code', lines };
  if (type === 'heading' && role === null)
    return { kind: 'heading', block, style: headingStyle(block.text, block) };
  return { kind: 'text', block, column: 0 };
}

/** Items begin at the lines given by the model, else at each marker, else at each line. */
function toItems(
  lines: readonly Segment[],
  numbers: readonly number[],
  starts: readonly number[],
  column: Box,
): TextBlock[] {
  const marked = lines.some(({ text }) => listMarker(text) !== undefined);
  const begins = (line: Segment, at: number): boolean => {
    if (starts.length > 0) return starts.includes(numbers[at] ?? 0);
    return !marked || listMarker(line.text) !== undefined;
  };
  const items: Segment[][] = [];
  for (const [at, line] of lines.entries()) {
    const last = items.at(-1);
    if (last && !begins(line, at)) last.push(line);
    else items.push([line]);
  }
  return items.map((item) => makeBlock(item, column));
}

/**
 * Adds lines without an element after the line above them in their column, or before the one below; if alone in it,
 * after any line above.
 */
function withForgotten(elements: readonly LaidOutElement[], segments: readonly Segment[]): Placed[] {
  const owner = new Map(elements.flatMap((element, at) => element.lines.map((line) => [line, at] as const)));
  const owned = [...owner.keys()].toSorted((a, b) => a - b);
  const before = new Map<number, number[]>();
  for (const [at, segment] of segments.entries()) {
    const number = at + 1;
    if (owner.has(number)) continue;
    const column = owned.filter((line) => overlapX(segments[line - 1] ?? segment, segment) > 0);
    const isAbove = (line: number): boolean => line < number;
    const above = column.findLast(isAbove);
    const below = column.find((line) => !isAbove(line));
    const after = above ?? (below === undefined ? owned.findLast(isAbove) : undefined);
    const place = after === undefined ? (owner.get(below ?? 0) ?? 0) : (owner.get(after) ?? 0) + 1;
    before.set(place, [...(before.get(place) ?? []), number]);
  }
  const forgotten = (place: number): Placed[] => {
    const numbers = before.get(place);
    return numbers ? [{ element: PARAGRAPH, numbers }] : [];
  };
  return [
    ...elements.flatMap((element, at): Placed[] => [...forgotten(at), { element, numbers: element.lines }]),
    ...forgotten(elements.length),
  ];
}

const PARAGRAPH: LaidOutElement = {
  type: 'paragraph',
  role: null,
  lines: [],
  starts: [],
  rows: [],
  box: null,
};

function toSegment({ text, size, bold, rightToLeft, ...place }: TextLine): Segment {
  return makeSegment([{ ...place, text, size, bold, rightToLeft, italic: false, spaceBefore: false }]);
}
