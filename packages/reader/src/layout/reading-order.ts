/**
 * Reading order by recursive cuts: into columns at a gutter that no text crosses, else between the crossing parts.
 * Tables have gutters as well, so a cut must look like columns of text.
 */
import { areSetApart, FEWEST_LINES, haveEdge, isListing, looksLikeText, rowsOf } from './column-shape.ts';
import { boxAround, heightOf, median, overlapY, type Box } from './geometry.ts';
import { GUTTER, isRecognised, joinPieces, makeSegment, toRows } from './segments.ts';
import type { Line, Segment } from './page-parts.ts';

/** A part that is not lines of text but is ordered with them: a ruled table, a figure. */
export interface Block extends Box {
  block: string;
}
type Part = Segment | Block;

/** In reading order: the lines of a column, or a block. */
export type Flow = { kind: 'lines'; lines: readonly Line[] } | { kind: 'block'; block: string; box: Box };

/** A strip between columns. */
interface Gutter {
  x0: number;
  x1: number;
}
interface Cut {
  gutter: Gutter;
  /** Amount of text that the cut orders, in lines on its shorter side. */
  gain: number;
  bands: Band[];
}
interface Band {
  left: Part[];
  right: Part[];
  crossing: Part[];
}

const MOST_CUTS = 40;
/** Maximum number of edges that are tried as those of a gutter. */
const MOST_EDGES = 16;
/** A page of which a larger share of lines cross a gutter has no columns. */
const MOST_CROSSING = 0.7;
/** Maximum share of lines that are too long for their column. */
const MOST_REACHING = 0.1;
const isBlock = (part: Part): part is Block => 'block' in part;

export function readingOrder(segments: readonly Segment[], blocks: readonly Block[]): Flow[] {
  const letters = (some: readonly Segment[]) => some.reduce((sum, { text }) => sum + text.length, 0);
  const rightToLeft = letters(segments.filter((part) => part.rightToLeft)) * 2 > letters(segments);
  return order([...segments, ...blocks], rightToLeft, 0);
}

function order(parts: readonly Part[], rightToLeft: boolean, depth: number): Flow[] {
  const cut = depth < MOST_CUTS ? bestCut(parts) : undefined;
  if (!cut) return oneColumn(parts);
  return cut.bands.flatMap((band) => {
    const { left, right, crossing } = band;
    const columns = !isDivided(band, cut.gutter)
      ? [[...left, ...right]]
      : rightToLeft
        ? [right, left]
        : [left, right];
    return [crossing, ...columns].flatMap((part) =>
      part.length > 0 ? order(part, rightToLeft, depth + 1) : [],
    );
  });
}

/** From top to bottom; a block splits the lines at its vertical middle. */
function oneColumn(parts: readonly Part[]): Flow[] {
  const flows: Flow[] = [];
  const rows = toRows(parts.filter((part) => !isBlock(part)) as Segment[]).map((line) => ({
    line: joinPieces(line),
    at: median(line.map(({ y0, y1 }) => (y0 + y1) / 2)),
  }));
  const blocks = parts.filter(isBlock).toSorted((a, b) => a.y0 - b.y0);
  let lines: Line[] = [];
  const flush = (): void => {
    if (lines.length > 0) flows.push({ kind: 'lines', lines });
    lines = [];
  };
  for (const { line, at } of rows) {
    while (blocks[0] && (blocks[0].y0 + blocks[0].y1) / 2 < at) {
      flush();
      const block = blocks.shift();
      if (block) flows.push({ kind: 'block', block: block.block, box: block });
    }
    lines.push(line);
  }
  flush();
  return [...flows, ...blocks.map((block): Flow => ({ kind: 'block', block: block.block, box: block }))];
}

function bestCut(parts: readonly Part[]): Cut | undefined {
  const texts = parts.filter((part): part is Segment => !isBlock(part));
  if (texts.length < 2 * FEWEST_LINES) return undefined;
  const sorted = parts.toSorted((a, b) => a.y0 - b.y0);
  let best: Cut | undefined;
  for (const gutter of gutters(texts)) {
    let crossing = 0;
    for (const { x0, x1 } of texts) if (x0 < gutter.x0 && x1 > gutter.x1) crossing += 1;
    if (crossing > texts.length * MOST_CROSSING) continue;
    const bands = bandsAt(gutter, sorted);
    const gain = bands.reduce((sum, band) => sum + gainOf(band, gutter), 0);
    if (gain > (best?.gain ?? 0)) best = { gutter, gain, bands };
  }
  if (!best) return undefined;
  // Larger text has larger spaces: only a known gutter tells headings of neighbouring columns apart.
  return { ...best, bands: bandsAt(wholeGutter(best), splitAt(best.gutter, sorted)) };
}

/** From where columns end to where the next begin, but for a few parts: a page number between them is in neither. */
function wholeGutter({ gutter, bands }: Cut): Gutter {
  const ends = bands.flatMap(({ left }) => left.map(({ x1 }) => x1)).toSorted((a, b) => b - a);
  const starts = bands.flatMap(({ right }) => right.map(({ x0 }) => x0)).toSorted((a, b) => a - b);
  return {
    x0: Math.min(gutter.x0, ends[FEWEST_LINES - 1] ?? gutter.x0),
    x1: Math.max(gutter.x1, starts[FEWEST_LINES - 1] ?? gutter.x1),
  };
}

/** Divides lines between runs that leave the gutter white. */
function splitAt(gutter: Gutter, parts: readonly Part[]): Part[] {
  return parts.flatMap((part): Part[] => {
    if (isBlock(part) || sideOf(part, gutter) !== 'crossing') return [part];
    const { runs } = part;
    if (runs.some(isRecognised)) return [part];
    const at = runs.findIndex((run, index) => {
      const next = runs[index + 1];
      const white = next ? Math.min(next.x0, gutter.x1) - Math.max(run.x1, gutter.x0) : 0;
      return white > (gutter.x1 - gutter.x0) * 0.7;
    });
    return at < 0 ? [part] : [makeSegment(runs.slice(0, at + 1)), makeSegment(runs.slice(at + 1))];
  });
}

/** Strips before the edges where several lines begin, or after those where several end, as in columns. */
function gutters(texts: readonly Segment[]): Gutter[] {
  const size = median(texts.map((part) => part.size));
  const box = boxAround(texts);
  const width = size * GUTTER;
  return [
    ...sharedEdges(
      texts.map(({ x0 }) => x0),
      size / 2,
    ).map((x1) => ({ x0: x1 - width, x1 })),
    ...sharedEdges(
      texts.map(({ x1 }) => -x1),
      size / 2,
    ).map((x0) => ({ x0: -x0, x1: width - x0 })),
  ].filter(({ x0, x1 }) => x0 - size > box.x0 && x1 + size < box.x1);
}

/** The least of the values that are within a step of each other, for those shared by most lines. */
function sharedEdges(values: readonly number[], step: number): number[] {
  const cells = new Map<number, { count: number; least: number }>();
  for (const value of values) {
    const at = Math.round(value / step);
    const cell = cells.get(at);
    cells.set(at, { count: (cell?.count ?? 0) + 1, least: Math.min(cell?.least ?? value, value) });
  }
  const countOf = (at: number): number => cells.get(at)?.count ?? 0;
  return [...cells]
    .map(([at, { least }]) => ({ least, count: countOf(at - 1) + countOf(at) + countOf(at + 1) }))
    .filter(({ count }) => count >= FEWEST_LINES)
    .toSorted((a, b) => b.count - a.count)
    .slice(0, MOST_EDGES)
    .map(({ least }) => least);
}

/**
 * From top to bottom: the crossing parts, then the parts left and right of the gutter until the next crossing.
 *
 * @param parts from top to bottom
 */
function bandsAt(gutter: Gutter, parts: readonly Part[]): Band[] {
  const bands: Band[] = [{ crossing: [], left: [], right: [] }];
  for (const part of parts) {
    let band = bands.at(-1);
    const side = sideOf(part, gutter);
    if (!band || (side === 'crossing' && band.left.length + band.right.length > 0)) {
      // A part beside the last lines of a band, such as a column that starts slightly higher, still belongs to it.
      band = { crossing: [], left: [], right: [] };
      bands.push(band);
    }
    band[side].push(part);
  }
  return bands;
}

/** A part that reaches into the gutter and not over it is beside it; a page number may stand within. */
function sideOf(part: Part, { x0, x1 }: Gutter): keyof Band {
  const middle = (part.x0 + part.x1) / 2;
  if (part.x1 <= x1 && middle < x0) return 'left';
  return part.x0 >= x0 && middle > x1 ? 'right' : 'crossing';
}

/** Lines on the shorter side of a band of columns; 0 if it does not look like columns. */
function gainOf({ left, right }: Band, gutter: Gutter): number {
  const lines = (side: Part[]) => side.filter((part): part is Segment => !isBlock(part));
  const [one, other] = [lines(left), lines(right)];
  if (one.length < FEWEST_LINES || other.length < FEWEST_LINES) return 0;
  const reaching = [...one, ...other].filter(({ x0, x1 }) => x1 > gutter.x0 + 1 && x0 < gutter.x1 - 1);
  if (reaching.length > (one.length + other.length) * MOST_REACHING) return 0;
  const [oneBox, otherBox] = [boxAround(one), boxAround(other)];
  const beside = overlapY(oneBox, otherBox) / Math.min(heightOf(oneBox), heightOf(otherBox));
  if (beside < 0.5) return 0;
  if ((isListing(one) && isListing(other)) || !haveEdge(one, other)) return 0;
  const areText = (looksLikeText(one) && looksLikeText(other)) || areSetApart(one, other);
  if (!areText) return 0;
  return Math.min(rowsOf(one), rowsOf(other));
}

/** On a page with columns, a few adjacent lines of text are columns too; a table's cells are not. */
function isDivided(band: Band, gutter: Gutter): boolean {
  const texts = [...band.left, ...band.right].filter((part): part is Segment => !isBlock(part));
  const long = texts.filter(({ text }) => text.length >= 14).length >= texts.length * 0.6;
  return gainOf(band, gutter) > 0 || (long && toRows(texts).length <= 2 * FEWEST_LINES);
}
