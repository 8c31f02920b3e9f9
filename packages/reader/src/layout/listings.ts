/** Listings of programs: lines in a monospaced font, whose breaks and indents are part of what they say. */
import { listMarker } from './list-marker.ts';
import { boxAround, greatest, least, median, widthOf } from './geometry.ts';
import { type BodyStyle, isLarge, numberDepth } from './headings.ts';
import { makeSegment } from './segments.ts';
import type { Line, Run, Segment } from './page-parts.ts';

export type ListingOrLines = { kind: 'code'; lines: Segment[] } | { kind: 'lines'; lines: Line[] };

/** A wider step, in heights of the font, ends a listing: two blank lines do not. */
const WIDEST_STEP = 4;
const SAME_SIZE = 0.08;
/** Lines of a paragraph are at most this much further apart than usual. */
const CLOSE = 1.15;
/** A longer gap within a line is that of columns. */
const MOST_SPACES = 120;
/** Characters that a line may have in another font: marks of divided lines, numbers of lines, signs. */
const MOST_FOREIGN = 0.2;
/** After these, a comment is often set in the font of the text. */
const COMMENT = /(?:#|\/\/|\/\*|--|%|;)$/;
/** An explanation begins at most so far right of its term, in heights of the font. */
const FURTHER_IN = { least: 0.8, most: 12 } as const;
/** Marks with which programs that set text divide long lines of code: at the end of the first or before the rest. */
const DIVIDED = / {0,9}(?:←-|↩|⏎)\n {0,200}|␣?\n {0,200}(?:↪|˓ ?→|➥)/gu;
/** An address in a line of its own, as below the names of authors. */
const ADDRESS = /^(?:[^\s@,]+(?:, ?[^\s@,]+){0,9}@[^\s@.]+\.[^\s@]+|<?(?:https?|ftp):\/\/\S+)$/;

/**
 * Finds listings in a column. Words of code within a paragraph are none, nor are terms above their indented
 * explanation, and of a document that is typewritten as a whole nothing is.
 */
export function findListings(lines: readonly Line[], body: BodyStyle, leading: number): ListingOrLines[] {
  const found: ListingOrLines[] = [];
  const addText = (some: readonly Line[]): void => {
    const last = found.at(-1);
    if (last?.kind === 'lines') for (const line of some) last.lines.push(line);
    else if (some.length > 0) found.push({ kind: 'lines', lines: [...some] });
  };
  if (body.monospaced === true) {
    addText(lines);
    return found;
  }
  const right = greatest(lines.flatMap((line) => line.map(({ x1 }) => x1)));
  for (let at = 0; at < lines.length;) {
    const listing = listingAt(lines, at);
    const end = at + Math.max(1, listing.length);
    if (
      listing.length > 0 &&
      isApart(listing, lines[at - 1], lines[end], { body, right, close: CLOSE * leading })
    )
      found.push({ kind: 'code', lines: listing });
    else addText(lines.slice(at, end));
    at = end;
  }
  return found;
}

function listingAt(lines: readonly Line[], start: number): Segment[] {
  const listing: Segment[] = [];
  for (let at = start; at < lines.length; at++) {
    const before = listing.at(-1);
    const line = codeLine(lines[at] ?? []) ?? (before && remark(before, lines[at], lines[at + 1]));
    if (!line) break;
    if (before && Math.abs(line.size - before.size) > SAME_SIZE * before.size) break;
    if (before && line.baseline - before.baseline > WIDEST_STEP * line.size) break;
    listing.push(line);
  }
  return listing;
}

/** The whole line if it is in a monospaced font, but for a comment at its end. */
function codeLine(line: Line): Segment | undefined {
  const runs = line.flatMap((part) => part.runs);
  const comment = runs.findIndex(({ monospaced, text }) => monospaced === true && COMMENT.test(text));
  const code = comment < 0 ? runs : runs.slice(0, comment + 1);
  const [first] = code;
  if (
    !first ||
    (first.monospaced !== true && (numberDepth(`${first.text} X`) > 1 || listMarker(`${first.text} x`)))
  )
    return undefined;
  const foreign = code.filter(({ monospaced }) => monospaced !== true).map(({ text }) => text);
  const others = foreign.reduce((sum, text) => sum + text.length, 0);
  const all = code.reduce((sum, { text }) => sum + text.length, 0);
  const isCode = others <= all * MOST_FOREIGN && !foreign.some((text) => /\p{L}{2}/u.test(text));
  return isCode ? makeSegment(runs) : undefined;
}

/** A line of text within a listing: indented between lines of code, as "[lines left out]". */
function remark(before: Segment, line: Line | undefined, after: Line | undefined): Segment | undefined {
  const [text, next] = [line && makeSegment(line.flatMap(({ runs }) => runs)), after && codeLine(after)];
  if (!text || !next) return undefined;
  const isWithin = next.baseline - before.baseline < 2 * CLOSE * 1.3 * before.size;
  const isIndented = text.x0 > Math.max(next.x0, before.x0) + before.size * FURTHER_IN.least;
  return isWithin && isIndented ? text : undefined;
}

/** Whether lines of code are no part of the text before or after them. */
function isApart(
  listing: readonly Segment[],
  before: Line | undefined,
  after: Line | undefined,
  { body, right, close }: { body: BodyStyle; right: number; close: number },
): boolean {
  const [first, last] = [listing[0], listing.at(-1)];
  if (!first || !last) return false;
  const alone = listing.length === 1;
  if (alone && (isLarge(first.size / body.size) || ADDRESS.test(first.text))) return false;
  if (before && isNear(before[0], first, close) && isAligned(before[0], first)) {
    const room = right - boxAround(before).x1;
    if (alone || room < first.size * 4) return false;
  }
  if (!isNear(last, after?.[0], close)) return true;
  // Text that goes on at its left edge, or explains it further in.
  const prose = after?.flatMap(({ runs }) => runs).find((run) => run.monospaced !== true);
  const shift = ((prose ?? after?.[0])?.x0 ?? 0) - last.x0;
  if (shift > last.size * FURTHER_IN.most) return true;
  return alone ? shift < -last.size : shift < last.size * FURTHER_IN.least;
}

function isNear(one: Segment | undefined, other: Segment | undefined, close: number): boolean {
  if (!one || !other) return false;
  return other.baseline - one.baseline < close * Math.max(one.size, other.size);
}

/** Whether a line follows another as within a paragraph or item. */
const isAligned = (one: Segment | undefined, other: Segment): boolean =>
  one !== undefined &&
  Math.abs(one.size - other.size) <= SAME_SIZE * one.size &&
  Math.abs(one.x0 - other.x0) < 3 * other.size;

/** The lines of a listing with the spaces and blank lines that their positions stand for. */
export function listingText(lines: readonly Segment[]): string {
  const runs = lines.flatMap((line) => line.runs);
  const advance = median(runs.flatMap((run) => Array.from(run.text, () => widthOf(run) / run.text.length)));
  const left = least(runs.map(({ x0 }) => x0));
  const steps = lines.slice(1).map((line, at) => line.baseline - (lines[at]?.baseline ?? 0));
  const step = Math.min(median(steps), least(steps) * 1.2) || Infinity;
  return lines
    .map((line, at) => {
      const blank = at === 0 ? 0 : Math.round((steps[at - 1] ?? 0) / step) - 1;
      return '\n'.repeat(Math.min(Math.max(blank, 0), WIDEST_STEP)) + lineText(line.runs, left, advance);
    })
    .join('\n')
    .replaceAll(DIVIDED, (mark) => (mark.startsWith('␣') ? ' ' : ''));
}

function lineText(runs: readonly Run[], left: number, advance: number): string {
  let text = '';
  let right = left;
  for (const run of runs) {
    const gap = advance > 0 ? Math.round((run.x0 - right) / advance) : 0;
    text += ' '.repeat(Math.min(Math.max(gap, 0), MOST_SPACES)) + run.text;
    right = run.x1;
  }
  return text;
}
