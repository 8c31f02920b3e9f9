import type { PixelBox } from './text-regions.ts';

/** A piece of a line with its place, and the length of its text. */
export interface PlacedLine {
  box: PixelBox;
  letters: number;
}

/** Columns of running text have at least so many lines each, with so many letters; those of tables have fewer. */
const COLUMN_LINES = 3;
const COLUMN_LETTERS = 18;

/** Lines in reading order: rows from the top, columns of running text one after the other, each a block of its own. */
export function orderLines<Line extends PlacedLine>(lines: readonly Line[]): Line[][] {
  const rows = toRows(lines);
  // What spans the columns is above and below them.
  for (let above = 0; above <= rows.length - COLUMN_LINES; above++) {
    for (const below of new Set([rows.length, rows.length - 1, rows.length - 2])) {
      const between = rows.slice(above, below).flat();
      const sides = splitColumns(between);
      if (!sides) continue;
      const [top, bottom] = [rows.slice(0, above).flat(), rows.slice(below).flat()];
      return [top, ...sides.flatMap(orderLines), ...(bottom.length > 0 ? orderLines(bottom) : [])].filter(
        (block) => block.length > 0,
      );
    }
  }
  return [rows.flat()];
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
