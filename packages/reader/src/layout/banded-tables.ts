/** Tables with rules across them: above and below, below the head, or between rows; shaded rows have edges as well. */
import { boxAround, heightOf, median, widthOf, type Box } from './geometry.ts';
import type { Line, Run } from './page-parts.ts';
import { mergeLines, THICK, type RuledTable } from './ruled-tables.ts';
import { columnsOf, tableLines } from './table-columns.ts';
import { gridOf } from './table-rows.ts';
import { isContents, isListing, isProse, isSectionTitle, looksLikeTable } from './table-shape.ts';

/** Ends of rules of one table differ by less than this, in points. */
const SAME_END = 4;
/** Shorter rules underline a word, or a title above some columns. */
const SHORTEST = 40;
/** Maximum number of widths of rules that are tried on a page. */
const MOST_WIDTHS = 100;
/** Rules of a double line are nearer than this. */
const DOUBLE = 4;
/** Lines outside of the rules are nearer than this, in heights of the font, and fewer. */
const FARTHEST = 0.9;
const MOST_BESIDE = 4;
/** Rows of a table have more room between their rules, in heights of the font. */
const TIGHT = 1.35;
/** The beginning of a caption, which parts two tables. */
const CAPTION = /^(?:table|tab\.|tableau|tabelle|tabla|tabella|tabel|tabela|таблица)\s*[\dIVX]/iu;

/** @param runs that are not in other tables */
export function bandedTables(rules: readonly Box[], runs: readonly Run[]): RuledTable[] {
  const across = mergeLines(rules.filter((rule) => heightOf(rule) <= THICK && widthOf(rule) > 5));
  const sorted = runs.toSorted((a, b) => a.baseline - b.baseline);
  const used = new Set<Run>();
  return rulesOfOneWidth(across).flatMap((group) => {
    const bands = group.slice(1).map((rule, index) => bandBetween(group[index] ?? rule, rule, sorted));
    return partBands(bands.filter((band) => heightOf(band.box) > DOUBLE || band.runs.length > 0)).flatMap(
      (some) => {
        if (some.some((band) => band.runs.some((run) => used.has(run)))) return [];
        const found = makeTable(
          [...linesBeside(some, sorted, -1), ...some, ...linesBeside(some, sorted, 1)],
          across,
        );
        for (const run of found?.used ?? []) used.add(run);
        return found ? [found] : [];
      },
    );
  });
}

/** The longest rules first, so that rules of a part do not take it from the whole. */
function rulesOfOneWidth(across: readonly Box[]): Box[][] {
  const groups: Box[][] = [];
  for (const rule of across.toSorted((a, b) => a.x0 - b.x0 || a.x1 - b.x1)) {
    if (widthOf(rule) < SHORTEST) continue;
    const group = groups.findLast(
      ([first]) =>
        first && Math.abs(first.x0 - rule.x0) < SAME_END && Math.abs(first.x1 - rule.x1) < SAME_END,
    );
    if (group) group.push(rule);
    else if (groups.length < MOST_WIDTHS) groups.push([rule]);
  }
  return groups
    .filter(({ length }) => length > 1)
    .map((group) => group.toSorted((a, b) => a.y0 - b.y0))
    .toSorted((a, b) => widthOf(boxAround(b)) - widthOf(boxAround(a)));
}

interface BandOfRuns {
  box: Box;
  runs: Run[];
  lines: Line[];
}

function bandBetween(above: Box, below: Box, sorted: readonly Run[]): BandOfRuns {
  const box = { ...boxAround([above, below]), y0: above.y1, y1: below.y0 };
  const runs: Run[] = [];
  for (let at = firstAtLeast(sorted, box.y0); at < sorted.length; at++) {
    const run = sorted[at];
    if (!run || run.baseline - run.size * 0.3 > box.y1) break;
    const middle = (run.x0 + run.x1) / 2;
    if (run.baseline - run.size * 0.3 >= box.y0 && middle >= box.x0 - SAME_END && middle <= box.x1 + SAME_END)
      runs.push(run);
  }
  return { box, runs, lines: tableLines(runs) };
}

function firstAtLeast(sorted: readonly Run[], y: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle]?.baseline ?? 0) < y) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Neighbouring bands with cells beside each other; text, an empty band or a caption parts tables. */
function partBands(bands: readonly BandOfRuns[]): BandOfRuns[][] {
  const parts: BandOfRuns[][] = [];
  let open: BandOfRuns[] = [];
  const close = (): void => {
    const last = open.findLastIndex(hasCells);
    if (last >= 0) parts.push(open.slice(0, last + 1));
    open = [];
  };
  for (const band of bands) {
    if (hasCells(band) || (open.length > 0 && isTitle(band))) open.push(band);
    else close();
  }
  close();
  return parts;
}

function hasCells({ lines, box }: BandOfRuns): boolean {
  const wide = lines.filter(
    (line) => line.length === 1 && line.some((piece) => widthOf(piece) > widthOf(box) * 0.6),
  );
  return lines.some(({ length }) => length > 1) && wide.length <= lines.length * 0.2;
}

/** A title between rows fills the room between its rules. */
function isTitle({ lines, box }: BandOfRuns): boolean {
  const [line] = lines;
  const [piece] = line ?? [];
  return (
    lines.length === 1 && piece !== undefined && !CAPTION.test(piece.text) && heightOf(box) < piece.size * 2.6
  );
}

/** Lines with cells next to the first or the last rule: a head above its rule, or the rows between shaded ones. */
function linesBeside(bands: readonly BandOfRuns[], sorted: readonly Run[], side: 1 | -1): BandOfRuns[] {
  const whole = boxAround(bands.map(({ box }) => box));
  const inside = bands.flatMap(({ lines }) => lines.flat());
  const size = median(inside.map((piece) => piece.size));
  const room = size * FARTHEST * MOST_BESIDE;
  const edge = side < 0 ? whole.y0 : whole.y1;
  const strip = { ...whole, y0: edge, y1: edge };
  const { lines } = bandBetween(
    side < 0 ? { ...strip, y0: edge - room, y1: edge - room } : strip,
    side < 0 ? strip : { ...strip, y0: edge + room, y1: edge + room },
    sorted,
  );
  const taken: Line[] = [];
  let at = edge;
  for (const line of side < 0 ? lines.toReversed() : lines) {
    const own = boxAround(line);
    const gap = side < 0 ? at - own.y1 : own.y0 - at;
    const isText = line.length < 2 && widthOf(own) > widthOf(whole) * 0.3;
    if (
      isText ||
      isSectionTitle(line, size) ||
      gap > size * FARTHEST ||
      Math.abs((line[0]?.size ?? 0) - size) > size * 0.25
    )
      break;
    taken.push(line);
    at = side < 0 ? own.y0 : own.y1;
  }
  while (taken.at(-1)?.length === 1) taken.pop();
  if (taken.length === 0 || taken.length > MOST_BESIDE) return [];
  const found = side < 0 ? taken.toReversed() : taken;
  const runs = found.flatMap((line) => line.flatMap((piece) => piece.runs));
  return [{ box: boxAround([...found.flat(), { ...whole, y0: edge, y1: edge }]), runs, lines: found }];
}

function makeTable(bands: readonly BandOfRuns[], across: readonly Box[]): RuledTable | undefined {
  const lines = bands.flatMap((band) => band.lines);
  const columns = columnsOf(lines);
  const box = boxAround(bands.map((band) => band.box));
  if (columns.length < 2 || lines.length < 2) return undefined;
  // A frame around a listing has no rules inside, and the shade of each of its lines leaves no room around it.
  const shaded = bands.filter((band) => heightOf(band.box) < TIGHT * (band.lines[0]?.[0]?.size ?? 0));
  if (isListing(lines) && (bands.length < 2 || shaded.length * 2 > bands.length)) return undefined;
  if (isContents(lines) || isProse(lines, columns)) return undefined;
  const marks = across.filter(
    (rule) =>
      rule.y0 > box.y0 &&
      rule.y1 < box.y1 &&
      widthOf(rule) < widthOf(box) * 0.9 &&
      rule.x0 >= box.x0 - SAME_END,
  );
  const grid = gridOf(bands, { columns, marks });
  if (grid.rows.length < 2 || !looksLikeTable(grid.rows)) return undefined;
  return { table: { box, ...grid }, used: new Set(bands.flatMap(({ runs }) => runs)) };
}
