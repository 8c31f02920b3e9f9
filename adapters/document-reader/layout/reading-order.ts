/**
 * Reading order by recursive cuts: into columns at a gutter that no text crosses, else between the crossing parts.
 * Tables have gutters as well, so a cut must look like columns of text.
 */
import { boxAround, heightOf, median, overlapY, widthOf, type Box } from './geometry.ts';
import { toRows } from './segments.ts';
import type { Line, Segment } from './page-parts.ts';

/** A part that is not lines of text but is ordered with them: a ruled table, a figure. */
export interface Block extends Box {
  block: string;
}
type Part = Segment | Block;

/** In reading order: the lines of a column, or a block. */
export type Flow = { kind: 'lines'; lines: readonly Line[] } | { kind: 'block'; block: string; box: Box };

interface Cut {
  x: number;
  /** Amount of text that the cut orders, in lines on its shorter side. */
  gain: number;
  bands: Band[];
}
interface Band {
  left: Part[];
  right: Part[];
  crossing: Part[];
}

/** Minimum number of lines of a column. */
const FEWEST_LINES = 3;
/** The narrowest gutter, in heights of the font. */
const NARROWEST = 0.7;
const MOST_CUTS = 40;
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
    const columns = !isDivided(band, cut.x)
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
    line,
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
  let best: Cut | undefined;
  for (const x of gutters(texts)) {
    const bands = bandsAt(x, parts);
    const gain = bands.reduce((sum, band) => sum + gainOf(band, x), 0);
    if (gain > (best?.gain ?? 0)) best = { x, gain, bands };
  }
  return best;
}

/** Gaps in the text, by the edges of lines; only edges shared by several lines, as in columns. */
function gutters(texts: readonly Segment[]): number[] {
  const size = median(texts.map((part) => part.size));
  const starts = new Map<number, number>();
  for (const { x0 } of texts) {
    const step = Math.round(x0 / (size / 2));
    starts.set(step, (starts.get(step) ?? 0) + 1);
  }
  const shared = [...starts].filter(
    ([step, count]) => count + (starts.get(step + 1) ?? 0) + (starts.get(step - 1) ?? 0) >= FEWEST_LINES,
  );
  const edges = shared.map(([step]) => (step * size) / 2).toSorted((a, b) => a - b);
  const least = Math.min(...texts.map(({ x0 }) => x0));
  return edges.flatMap((edge) => (edge - size > least ? [edge - (size * NARROWEST) / 2 - size / 4] : []));
}

/** From top to bottom: the crossing parts, then the parts left and right of the cut until the next crossing. */
function bandsAt(x: number, parts: readonly Part[]): Band[] {
  const bands: Band[] = [{ crossing: [], left: [], right: [] }];
  for (const part of parts.toSorted((a, b) => a.y0 - b.y0)) {
    let band = bands.at(-1);
    const crosses = part.x0 < x && part.x1 > x;
    if (!band || (crosses && band.left.length + band.right.length > 0)) {
      // A part beside the last lines of a band, such as a column that starts slightly higher, still belongs to it.
      band = { crossing: [], left: [], right: [] };
      bands.push(band);
    }
    if (crosses) band.crossing.push(part);
    else if (part.x1 <= x) band.left.push(part);
    else band.right.push(part);
  }
  return bands;
}

/** Lines on the shorter side of a band of columns; 0 if it does not look like columns. */
function gainOf({ left, right }: Band, x: number): number {
  const lines = (side: Part[]) => side.filter((part): part is Segment => !isBlock(part));
  const [one, other] = [lines(left), lines(right)];
  if (one.length < FEWEST_LINES || other.length < FEWEST_LINES) return 0;
  const [oneBox, otherBox] = [boxAround(one), boxAround(other)];
  const size = median([...one, ...other].map((part) => part.size));
  if (otherBox.x0 - oneBox.x1 < size * NARROWEST || oneBox.x1 > x || otherBox.x0 < x) return 0;
  const beside = overlapY(oneBox, otherBox) / Math.min(heightOf(oneBox), heightOf(otherBox));
  if (beside < 0.5) return 0;
  if (!looksLikeText(one) || !looksLikeText(other)) return 0;
  if (isListing(one) && isListing(other)) return 0;
  return Math.min(rowsOf(one), rowsOf(other));
}

/** Whether most lines are code, which has wide gaps. */
const isListing = (lines: readonly Segment[]): boolean =>
  lines.filter(({ monospaced }) => monospaced).length * 2 > lines.length;

/** On a page with columns, a few adjacent lines of text are columns too; a table's cells are not. */
function isDivided(band: Band, x: number): boolean {
  const texts = [...band.left, ...band.right].filter((part): part is Segment => !isBlock(part));
  const long = texts.filter(({ text }) => text.length >= 14).length >= texts.length * 0.6;
  return gainOf(band, x) > 0 || (long && toRows(texts).length <= 2 * FEWEST_LINES);
}

const rowsOf = (lines: readonly Segment[]): number => toRows(lines).length;

/** Lines of a column mostly fill it and are long; cells of a table are short, or several to a line. */
function looksLikeText(lines: readonly Segment[]): boolean {
  const rows = toRows(lines);
  if (rows.length < FEWEST_LINES) return false;
  const box = boxAround(lines);
  const full = rows.filter((row) => {
    const inner = row.reduce((sum, part) => sum + widthOf(part), 0);
    return inner >= 0.72 * widthOf(box);
  });
  const long = median(lines.map(({ text }) => text.length)) >= 14;
  const wordy = lines.filter(({ text }) => hasWords(text)).length >= lines.length * 0.5;
  return long && wordy && isSet(rows) && full.length >= Math.max(2, rows.length * 0.4);
}

/** More than one, of which the first has two letters. */
function hasWords(text: string): boolean {
  const first = text.search(/\p{L}{2}/u);
  if (first < 0) return false;
  const [, ...others] = text.slice(first).split(/\s/);
  return others.some((word) => /\p{L}/u.test(word));
}

/** Whether most lines follow each other closely; rows of a table are spaced by their highest cells. */
function isSet(rows: readonly Segment[][]): boolean {
  const lines = rows.flatMap(([first]) => first ?? []);
  const close = lines
    .slice(1)
    .filter((line, index) => line.baseline - (lines[index]?.baseline ?? 0) < 1.8 * line.size);
  return close.length >= (lines.length - 1) * 0.5;
}
