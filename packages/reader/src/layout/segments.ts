import { lowered, raised } from '../inline/raised.ts';
import { boxAround, greatest, type Box } from './geometry.ts';
import type { Run, Segment } from './page-parts.ts';

/** Baselines closer than this share of the font size are one line, with remaining skew. */
const SAME_LINE = 0.4;
/** The same for text that is raised or lowered, which is smaller by this factor and next to the other, in heights of its font. */
const SAME_LINE_SMALL = 0.6;
const SMALL = 0.85;
const NEXT_TO = 0.35;
const MOST_COMPARED = 200;
/** The least distance of its baseline, in heights of the line's font. */
const MOVED = 0.08;
/** A wider gap, in heights of the font, separates cells. */
export const WIDE_GAP = 1.15;
/** The narrowest gutter between columns, in heights of the font. */
export const GUTTER = 0.5;
/** The same between two blocks of text of a recogniser: wider than the space between words, narrower than a gutter. */
const GAP_OF_BLOCKS = 0.6;
/** A narrower gap is kerning. */
const WORD_GAP = 0.14;

/** A run that overlaps its neighbour by more than this, relative to the font, shares a letter with it. */
const OVERLAP = 0.1;
/** Accents of fonts without accented letters, drawn before their letter, and the combining forms. */
const ACCENTS: Readonly<Record<string, string>> = {
  '`': '\u0300',
  '´': '\u0301',
  ˆ: '\u0302',
  '˜': '\u0303',
  '¯': '\u0304',
  '˘': '\u0306',
  '˙': '\u0307',
  '¨': '\u0308',
  '˚': '\u030A',
  '˝': '\u030B',
  ˇ: '\u030C',
};

/** Whether a text ends with an accent that may belong to the next letter. */
export const isAccent = (text: string): boolean => ACCENTS[text.at(-1) ?? ''] !== undefined;

/** Groups boxes with a baseline into lines, from top to bottom; within a line from left to right. */
export function toRows<T extends Box & { baseline: number; size: number }>(parts: readonly T[]): T[][] {
  const rows: { baseline: number; size: number; parts: T[] }[] = [];
  for (const part of parts.toSorted((a, b) => a.baseline - b.baseline)) {
    const row = rows.at(-1);
    const distance = row ? (part.baseline - row.baseline) / Math.max(part.size, row.size) : Infinity;
    const isMoved =
      distance > SAME_LINE && distance <= SAME_LINE_SMALL && row && isSmallBeside(part, row.parts);
    if (row && (distance <= SAME_LINE || isMoved)) {
      row.parts.push(part);
      // The larger text is the line; a superscript above it came first.
      if (part.size > row.size * 1.1) Object.assign(row, { baseline: part.baseline, size: part.size });
    } else rows.push({ baseline: part.baseline, size: part.size, parts: [part] });
  }
  return rows.map(({ parts }) => parts.toSorted((a, b) => a.x0 - b.x0));
}

/** Whether a text is small beside another, or another beside it. */
function isSmallBeside<T extends Box & { size: number }>(one: T, others: readonly T[]): boolean {
  return others.slice(-MOST_COMPARED).some((other) => {
    const [smaller, larger] = [Math.min(one.size, other.size), Math.max(one.size, other.size)];
    const gap = Math.max(one.x0 - other.x1, other.x0 - one.x1);
    return smaller < larger * SMALL && gap < NEXT_TO * smaller;
  });
}

/** Joins adjacent runs of each line, where no column can end between them; a heading may begin beside small text. */
export function toPieces(runs: readonly Run[]): Segment[] {
  // Recognised words are runs each, and those of a typewriter are as far apart as narrow columns.
  if (runs.some(isRecognised)) return toSegments(runs);
  return toRows(runs).flatMap((row) => joinNear(row, GUTTER, Math.min).map(makeSegment));
}

/** Whether a run is a recognised word, whose place and size are measured roughly. */
export const isRecognised = ({ recognised }: Run): boolean => recognised === true;

/** Joins adjacent runs of each line. */
export function toSegments(runs: readonly Run[]): Segment[] {
  return toRows(runs).flatMap((row) => joinNear(row, gapWithin).map(makeSegment));
}

const gapWithin = (one: Run, other: Run): number => (one.block === other.block ? WIDE_GAP : GAP_OF_BLOCKS);

/** Joins adjacent pieces of one line of a column, from left to right. */
export function joinPieces(row: readonly Segment[]): Segment[] {
  return joinNear(row, WIDE_GAP).map((pieces) => {
    const [only] = pieces;
    return only && pieces.length === 1 ? only : makeSegment(pieces.flatMap(({ runs }) => runs));
  });
}

/**
 * Groups neighbours of one line.
 *
 * @param widest gap within a group, in heights of the font; it may depend on the neighbours
 * @param sizeOf the height that counts of neighbours in different fonts
 */
export function joinNear<T extends Box & { size: number }>(
  row: readonly T[],
  widest: number | ((one: T, other: T) => number),
  sizeOf: (...sizes: number[]) => number = Math.max,
): T[][] {
  const groups: T[][] = [];
  let right = -Infinity;
  for (const part of row) {
    const last = groups.at(-1);
    const before = last?.at(-1);
    const size = sizeOf(part.size, before?.size ?? part.size);
    const most = typeof widest === 'number' ? widest : before ? widest(before, part) : 0;
    if (last && part.x0 - right <= most * size) last.push(part);
    else groups.push([part]);
    right = Math.max(right, part.x1);
  }
  return groups;
}

/** @param runs of one line, from left to right */
export function makeSegment(runs: readonly Run[]): Segment {
  const letters = (some: readonly Run[]) => some.reduce((sum, { text }) => sum + text.length, 0);
  const total = letters(runs);
  // The names of functions in a bold title are typewritten, and seldom bold.
  const prose = runs.filter(({ monospaced }) => monospaced !== true);
  const weighed = letters(prose) * 2 > total ? prose : runs;
  const main = runs.reduce((best, run) => (run.text.length > best.text.length ? run : best));
  const rightToLeft = letters(runs.filter((run) => run.rightToLeft)) * 2 > total;
  return {
    ...boxAround(runs),
    runs,
    text: joinRuns(runs, rightToLeft, main),
    baseline: main.baseline,
    size: sizeOfCapitals(runs, main) ?? main.size,
    bold: letters(weighed.filter(({ bold }) => bold)) > letters(weighed) * 0.9,
    italic: letters(runs.filter(({ italic }) => italic)) * 2 > total,
    monospaced: runs.every(({ monospaced }) => monospaced === true),
    rightToLeft,
  };
}

/** Small capitals that are capitals of a smaller size are as large as the first letters of their words. */
const LARGEST_FIRST = 1.5;

function sizeOfCapitals(runs: readonly Run[], { size, text: most }: Run): number | undefined {
  if (
    runs.length === 1 ||
    !/\p{Lu}{2}/u.test(most) ||
    runs.some((run) => isRecognised(run) || /\p{Ll}/u.test(run.text))
  )
    return undefined;
  const largest = greatest(runs.filter(({ text }) => /\p{Lu}/u.test(text)).map((run) => run.size));
  return largest <= size * LARGEST_FIRST ? largest : undefined;
}

/** The number with which a line from right to left begins, and its sign, which is drawn to the left of it. */
const NUMBER_OF_LINE = /^([.):])\s?(\p{Nd}[\p{Nd}.]*)(?=\s|$)/u;

/** @param main the run of most letters, whose line it is */
function joinRuns(runs: readonly Run[], rightToLeft: boolean, main: Run): string {
  // The engine turns whole lines of both directions round, and leaves its spaces at the wrong side of signs.
  const isMixed = runs.some((run) => run.rightToLeft) && runs.some((run) => !run.rightToLeft);
  let text = '';
  let before: Run | undefined;
  for (const run of isMixed || rightToLeft ? logicalOrder(runs, rightToLeft) : runs) {
    let overlaps = false;
    if (before) {
      const gap = Math.max(run.x0 - before.x1, before.x0 - run.x1);
      overlaps = gap < -OVERLAP * run.size;
      const apart = (run.spaceBefore && !isMixed) || gap > WORD_GAP * Math.min(run.size, before.size);
      if (apart && !(overlaps && isAccent(text)) && !text.endsWith(' ') && !run.text.startsWith(' '))
        text += ' ';
    }
    text = overlaps ? accented(text, run.text) : text + atHeight(run, text, main);
    before = run;
  }
  const joined = (isMixed ? paired(text) : text).replaceAll(/\s+/gu, ' ').trim();
  return rightToLeft ? joined.replace(NUMBER_OF_LINE, '$2$1') : joined;
}

/** Brackets beside text of the other direction may come turned around. */
function paired(text: string): string {
  const brackets = text.match(/[()]/g) ?? [];
  const isWrong =
    brackets.length % 2 === 0 && brackets.filter((one) => one === '(').length * 2 !== brackets.length;
  let at = 0;
  return isWrong ? text.replaceAll(/[()]/g, () => (at++ % 2 === 0 ? '(' : ')')) : text;
}

/** The text of a run at its height in the line. */
function atHeight(run: Run, before: string, main: Run): string {
  const { text, size, baseline } = run;
  const moved = main.baseline - baseline;
  if (size > main.size * SMALL || Math.abs(moved) < main.size * MOVED || isRecognised(run)) return text;
  return moved > 0 ? raised(text) : lowered(text, before.slice(-2));
}

/** Joins two texts of which the first may end with the accent of the other's first letter: Br¨ and oker. */
function accented(text: string, next: string): string {
  const accent = ACCENTS[text.at(-1) ?? ''];
  if (accent === undefined || !/^\p{L}/u.test(next)) return text + next;
  const [letter = ''] = next;
  // Dotless, as the accent replaces the dot.
  const base = letter === 'ı' ? 'i' : letter === 'ȷ' ? 'j' : letter;
  return text.slice(0, -1) + `${base}${accent}`.normalize('NFC') + next.slice(letter.length);
}

/** Neighbouring runs of the other direction than the line's, such as the words of a name, keep an order of their own. */
function logicalOrder(runs: readonly Run[], rightToLeft: boolean): Run[] {
  const groups: Run[][] = [];
  for (const run of rightToLeft ? runs.toReversed() : runs) {
    const last = groups.at(-1);
    if (last && run.rightToLeft !== rightToLeft && last[0]?.rightToLeft !== rightToLeft) last.unshift(run);
    else groups.push([run]);
  }
  return groups.flat();
}
