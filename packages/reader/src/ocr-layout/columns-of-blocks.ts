/**
 * Columns of a recognised page, by the blocks of text that its recogniser saw: it judges by the whole image, and words are
 * measured too roughly to find a narrow gutter between them. What is not clearly columns is left to the rules for all pages.
 */
import { type Box, boxAround, heightOf, median, overlapY, widthOf } from '../layout/geometry.ts';
import type { Run } from '../layout/page-parts.ts';
import { toRows } from '../layout/segments.ts';

interface TextLine extends Box {
  baseline: number;
  size: number;
  letters: number;
  words: number;
}

interface TextBlock extends Box {
  runs: readonly Run[];
  lines: readonly TextLine[];
}

interface Band {
  crossing: TextBlock[];
  left: TextBlock[];
  right: TextBlock[];
}

const FEWEST_LINES = 3;
const MOST_CUTS = 12;
/** Pages with more blocks are drawings or noise. */
const MOST_BLOCKS = 250;
/** Maximum number of edges that are tried as the right one of a gutter. */
const MOST_EDGES = 32;
/** The narrowest gutter, in heights of the font. */
const GUTTER = 0.5;
/** Lines that reach into a gutter: one in ten, and at most so many. */
const MOST_REACHING = 2;
/** Letters of a usual line; those of cells and labels are shorter. */
const LONG = 14;
/** Share of its block that a line of prose fills. */
const FULL = 0.72;
/** Lines that follow each other within a block, in heights of the font. */
const LEADING = 1.8;
/** Baselines on both sides that are closer than this, in heights of the font, may be of one row. */
const ALIGNED = 0.3;

/**
 * Divides the runs of a page at gutters between columns of text.
 *
 * @returns in reading order; all runs at once if there are no columns, or no blocks
 */
export function columnsOfBlocks(runs: readonly Run[]): Run[][] {
  const blocks = [...Map.groupBy(runs, ({ block }) => block).values()].map(toBlock);
  if (blocks.length < 2 || blocks.length > MOST_BLOCKS) return [[...runs]];
  const rightToLeft = runs.filter((run) => run.rightToLeft).length * 2 > runs.length;
  return order(blocks, rightToLeft, 0).map((part) => part.flatMap((block) => block.runs));
}

function toBlock(runs: readonly Run[]): TextBlock {
  const lines = toRows(runs).map((row): TextLine => {
    const text = row.map((run) => run.text);
    return {
      ...boxAround(row),
      baseline: median(row.map(({ baseline }) => baseline)),
      size: median(row.map(({ size }) => size)),
      letters: text.join(' ').length,
      words: text.filter((word) => /\p{L}/u.test(word)).length,
    };
  });
  return { ...boxAround(runs), runs, lines };
}

function order(blocks: readonly TextBlock[], rightToLeft: boolean, depth: number): TextBlock[][] {
  const bands = depth < MOST_CUTS ? bestCut(blocks) : undefined;
  if (!bands) return blocks.length > 0 ? [[...blocks]] : [];
  const parts: TextBlock[][] = [];
  let whole: TextBlock[] = [];
  for (const band of bands) {
    whole.push(...band.crossing);
    if (gainOf(band) === 0) {
      whole.push(...band.left, ...band.right);
      continue;
    }
    if (whole.length > 0) parts.push(whole);
    whole = [];
    const columns = rightToLeft ? [band.right, band.left] : [band.left, band.right];
    parts.push(...columns.flatMap((column) => order(column, rightToLeft, depth + 1)));
  }
  return whole.length > 0 ? [...parts, whole] : parts;
}

/** The bands of the cut that orders the most text. */
function bestCut(blocks: readonly TextBlock[]): Band[] | undefined {
  const sorted = blocks.toSorted((a, b) => a.y0 - b.y0);
  const edges = blocks
    .toSorted((a, b) => b.lines.length - a.lines.length)
    .slice(0, MOST_EDGES)
    .map(({ x0 }) => x0);
  let best: { gain: number; bands: Band[] } | undefined;
  for (const edge of new Set(edges)) {
    const bands = bandsAt(edge, sorted);
    const gain = bands.reduce((sum, band) => sum + gainOf(band), 0);
    if (gain > (best?.gain ?? 0)) best = { gain, bands };
  }
  return best?.bands;
}

/** From top to bottom: the blocks that cross the edge, then those beside it until the next crossing. */
function bandsAt(edge: number, sorted: readonly TextBlock[]): Band[] {
  let band: Band = { crossing: [], left: [], right: [] };
  const bands = [band];
  for (const block of sorted) {
    const slack = 0.3 * (block.lines[0]?.size ?? 0);
    const crosses = block.x0 < edge - slack && block.x1 > edge;
    if (crosses && band.left.length + band.right.length > 0) {
      band = { crossing: [], left: [], right: [] };
      bands.push(band);
    }
    (crosses ? band.crossing : block.x0 < edge - slack ? band.left : band.right).push(block);
  }
  return bands;
}

/** Lines on the shorter side of a band; 0 if it does not look like columns of text. */
function gainOf({ left, right }: Band): number {
  const [one, other] = [left.flatMap(({ lines }) => lines), right.flatMap(({ lines }) => lines)];
  const fewest = Math.min(one.length, other.length);
  if (fewest < FEWEST_LINES) return 0;
  const [oneBox, otherBox] = [boxAround(one), boxAround(other)];
  const size = median([...one, ...other].map((line) => line.size));
  if (startOf(other) - endOf(one) < GUTTER * size) return 0;
  if (overlapY(oneBox, otherBox) < 0.5 * Math.min(heightOf(oneBox), heightOf(otherBox))) return 0;
  if (!isWordy(one) || !isWordy(other)) return 0;
  if (isProse(left) && isProse(right)) return fewest;
  const areSections =
    Math.min(left.length, right.length) >= FEWEST_LINES && !areRows(tops(left), tops(right));
  return areSections || !areRows(one, other) ? fewest : 0;
}

/** Where lines begin, or end, but for a few: a page number stands between columns. */
const startOf = (lines: readonly TextLine[]): number =>
  lines.map(({ x0 }) => x0).toSorted((a, b) => a - b)[reaching(lines)] ?? 0;
const endOf = (lines: readonly TextLine[]): number =>
  lines.map(({ x1 }) => x1).toSorted((a, b) => b - a)[reaching(lines)] ?? 0;
const reaching = ({ length }: readonly TextLine[]): number =>
  Math.min(MOST_REACHING, Math.floor(length / 10));

const isWordy = (lines: readonly TextLine[]): boolean =>
  median(lines.map(({ letters }) => letters)) >= LONG &&
  lines.filter(({ words }) => words > 1).length >= lines.length * 0.5;

/** Whether lines mostly follow each other closely and fill their blocks. */
function isProse(blocks: readonly TextBlock[]): boolean {
  const total = blocks.reduce((sum, { lines }) => sum + lines.length, 0);
  const close = blocks.flatMap((block) =>
    block.lines.filter((line, at) => {
      const next = block.lines[at + 1] ?? block.lines[at - 1];
      if (!next || widthOf(line) < FULL * widthOf(block)) return false;
      return Math.abs(next.baseline - line.baseline) < LEADING * line.size;
    }),
  );
  return close.length >= total * 0.5;
}

/** The first lines of blocks: those of cells begin at the same height on both sides, sections do not. */
const tops = (blocks: readonly TextBlock[]): TextLine[] => blocks.flatMap(({ lines }) => lines[0] ?? []);

/** Whether most lines on the shorter side continue on the other, as those of a table do. */
function areRows(one: readonly TextLine[], other: readonly TextLine[]): boolean {
  const [fewer, more] = one.length < other.length ? [one, other] : [other, one];
  const baselines = more.map(({ baseline }) => baseline).toSorted((a, b) => a - b);
  let at = 0;
  const aligned = fewer
    .toSorted((a, b) => a.baseline - b.baseline)
    .filter(({ baseline, size }) => {
      while ((baselines[at] ?? Infinity) < baseline - ALIGNED * size) at += 1;
      return (baselines[at] ?? Infinity) <= baseline + ALIGNED * size;
    });
  return aligned.length > fewer.length * 0.5;
}
