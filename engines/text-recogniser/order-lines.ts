import type { PixelBox } from './text-regions.ts';

/** A piece of a line with its place, and the length of its text. */
export interface PlacedLine {
  box: PixelBox;
  letters: number;
}

/** Columns of running text have at least so many lines each, with so many letters; those of tables have fewer. */
const COLUMN_LINES = 3;
const COLUMN_LETTERS = 18;

/** Lines in reading order: rows from the top, columns of running text one after the other. */
export function orderLines<Line extends PlacedLine>(lines: readonly Line[]): Line[] {
  const rows = toRows(lines);
  // What spans the columns is above and below them.
  for (let above = 0; above <= rows.length - COLUMN_LINES; above++) {
    for (const below of new Set([rows.length, rows.length - 1, rows.length - 2])) {
      const between = rows.slice(above, below).flat();
      const sides = splitColumns(between);
      if (!sides) continue;
      const [top, bottom] = [rows.slice(0, above).flat(), rows.slice(below).flat()];
      return [top, ...sides, bottom].flatMap((part) => (part.length > 0 ? orderLines(part) : []));
    }
  }
  return rows.flat();
}

/** At the widest gap that no line crosses, if both sides are running text. */
function splitColumns<Line extends PlacedLine>(lines: readonly Line[]): [Line[], Line[]] | undefined {
  const sorted = lines.toSorted((a, b) => a.box.x0 - b.box.x0);
  let [right, gap, at] = [-Infinity, 0, 0];
  for (const [index, { box }] of sorted.entries()) {
    if (index > 0 && box.x0 - right > gap) [gap, at] = [box.x0 - right, index];
    right = Math.max(right, box.x1);
  }
  const sides: [Line[], Line[]] = [sorted.slice(0, at), sorted.slice(at)];
  return gap > 0 && sides.every(isRunningText) ? sides : undefined;
}

function isRunningText(lines: readonly PlacedLine[]): boolean {
  const letters = lines.reduce((sum, line) => sum + line.letters, 0);
  return lines.length >= COLUMN_LINES && letters >= lines.length * COLUMN_LETTERS;
}

function toRows<Line extends PlacedLine>(lines: readonly Line[]): Line[][] {
  const middle = ({ box }: PlacedLine) => (box.y0 + box.y1) / 2;
  const height = ({ box }: PlacedLine) => box.y1 - box.y0;
  const rows: { first: Line; items: Line[] }[] = [];
  for (const line of lines.toSorted((a, b) => middle(a) - middle(b))) {
    const row = rows.findLast(
      ({ first }) => Math.abs(middle(first) - middle(line)) < Math.min(height(first), height(line)) / 2,
    );
    if (row) row.items.push(line);
    else rows.push({ first: line, items: [line] });
  }
  return rows.map(({ items }) => items.toSorted((a, b) => a.box.x0 - b.box.x0));
}

/** Lines of a block are closer than this, in heights of the lower one, and overlap by this share of the narrower one. */
const NEXT_LINE = 0.9;
const BESIDE = 0.6;
const OVERLAP = 0.5;
/** Their heights differ by less than this factor. */
const SAME_SIZE = 1.6;

/** A white strip between columns is as wide as this, in heights of a line, and few lines have a word in it. */
const GUTTER = 0.55;
const MOST_CROSSING = 0.15;
/** Such as a page number below the gutter, and a title whose box is too wide. */
const ALWAYS_CROSSING = 2;
const FEWEST_BESIDE = 4;

/**
 * Divides lines that the detector has drawn over the gutter between two columns: a narrow one looks like a space, but is at
 * the same place in most lines.
 */
export function splitAtGutter<Line extends PlacedLine & { words: readonly { bbox: PixelBox }[] }>(
  lines: readonly Line[],
  lineOf: (words: Line['words']) => Line,
): Line[] {
  const heights = lines.map(({ box }) => box.y1 - box.y0).toSorted((a, b) => a - b);
  const height = heights[Math.floor(heights.length / 2)] ?? 0;
  const gutter = gutterOf(lines, GUTTER * height);
  if (gutter === undefined) return [...lines];
  return lines.flatMap((line) => {
    const left = line.words.filter(({ bbox }) => bbox.x1 <= gutter);
    const right = line.words.filter(({ bbox }) => bbox.x0 >= gutter);
    const isWhole = left.length + right.length < line.words.length || left.length === 0 || right.length === 0;
    return isWhole ? [line] : [lineOf(left), lineOf(right)];
  });
}

/** The middle of the gaps between words that most lines have at one place; undefined without columns of text. */
function gutterOf(
  lines: readonly (PlacedLine & { words: readonly { bbox: PixelBox }[] })[],
  least: number,
): number | undefined {
  if (least <= 0) return undefined;
  const gaps = lines.flatMap(({ words }) =>
    words.slice(1).flatMap(({ bbox: { x0 } }, at) => {
      const before = words[at]?.bbox.x1 ?? x0;
      return x0 - before >= least ? [(before + x0) / 2] : [];
    }),
  );
  let best: { at: number; crossed: number } | undefined;
  for (const at of new Set(gaps.map((gap) => Math.round(gap)))) {
    let [crossed, beside] = [0, 0];
    const sides = [0, 0];
    for (const { box, words } of lines) {
      if (words.some(({ bbox }) => bbox.x0 < at && bbox.x1 > at)) crossed += 1;
      else if (box.x0 < at && box.x1 > at) beside += 1;
      else sides[box.x0 >= at ? 1 : 0] = (sides[box.x0 >= at ? 1 : 0] ?? 0) + 1;
    }
    const columns = beside + Math.min(...sides);
    const isGutter =
      columns >= FEWEST_BESIDE && crossed <= Math.max(ALWAYS_CROSSING, columns * MOST_CROSSING);
    if (isGutter && crossed < (best?.crossed ?? Infinity)) best = { at, crossed };
  }
  return best?.at;
}

/** The number of the block of each line: lines that follow each other closely, one below the other or side by side. */
export function blocksOf(lines: readonly PlacedLine[]): number[] {
  const blocks = lines.map((_, at) => at);
  for (const at of lines.keys()) {
    for (let other = 0; other < at; other++) {
      const beside = lines[other];
      const [own, theirs] = [blocks[at] ?? at, blocks[other] ?? other];
      if (!beside || own === theirs || !isNear(lines[at] ?? beside, beside)) continue;
      for (const [index, block] of blocks.entries()) if (block === own) blocks[index] = theirs;
    }
  }
  return blocks;
}

function isNear(
  { box: one, letters }: PlacedLine,
  { box: other, letters: otherLetters }: PlacedLine,
): boolean {
  const [height, otherHeight] = [one.y1 - one.y0, other.y1 - other.y0];
  const least = Math.min(height, otherHeight);
  if (Math.max(height, otherHeight) > SAME_SIZE * least) return false;
  const across = Math.min(one.x1, other.x1) - Math.max(one.x0, other.x0);
  const down = Math.min(one.y1, other.y1) - Math.max(one.y0, other.y0);
  // A single sign between columns, such as a speck, joins none.
  if (down > least / 2) return across > -BESIDE * least && Math.min(letters, otherLetters) > 1;
  return across > OVERLAP * Math.min(one.x1 - one.x0, other.x1 - other.x0) && down > -NEXT_LINE * least;
}
