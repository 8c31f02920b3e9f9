/** What the tags of a page say of its text: its titles, its tables, and the order of its columns. */
import { median, boxAround, greatest, overlapX, overlapY, type Box } from './geometry.ts';
import type { FoundTitle } from './outline-titles.ts';
import type { PageParts, Run, Segment, TaggedBlock } from './page-parts.ts';
import { cellText, type RuledTable } from './ruled-tables.ts';

const LONGEST_TITLE = 220;
/** More places are no table that anybody tagged. */
const MOST_PLACES = 20_000;
/** A page of which the tags name more parts has them in no order of columns. */
const MOST_COLUMNS = 12;

/** Of tags that leave out more of the text, the order is not that of the page. */
const ALL = 0.8;
const letters = (some: readonly Run[]): number => some.reduce((sum, { text }) => sum + text.length, 0);

/** The titles of a tagged page, by their lines. */
export function createTaggedTitles(blocks: readonly TaggedBlock[]) {
  const titles = blocks.map(({ level }): FoundTitle | undefined =>
    level === undefined ? undefined : { level },
  );
  const hasTitles = titles.some((title) => title);
  return {
    find: (lines: readonly Segment[]): [Segment, FoundTitle][] =>
      lines.flatMap((line): [Segment, FoundTitle][] => {
        const [first] = line.runs;
        const title = titles[first?.tag ?? -1];
        const isWhole = line.text.length <= LONGEST_TITLE && line.runs.every(({ tag }) => tag === first?.tag);
        return title && isWhole ? [[line, title]] : [];
      }),
    /** Whether the author of a page with tagged titles left a line to a figure, or without a tag. */
    isOfNone: (line: Segment): boolean =>
      hasTitles && line.runs.every(({ tag }) => tag === undefined || blocks[tag]?.figure === true),
  };
}

/** Tables by the tags of their cells. One row or column, or nearly no text, is how some programs place what is no table. */
export function taggedTables(blocks: readonly TaggedBlock[], runs: readonly Run[]): RuledTable[] {
  if (!blocks.some(({ cell }) => cell)) return [];
  const inCells = runs.filter(({ tag = -1 }) => blocks[tag]?.cell);
  const byTable = Map.groupBy(inCells, ({ tag = -1 }) => blocks[tag]?.cell?.table);
  return [...byTable.values()].flatMap((used): RuledTable[] => {
    const cells = [...Map.groupBy(used, ({ tag = -1 }) => tag)].flatMap(([tag, own]) => {
      const cell = blocks[tag]?.cell;
      return cell ? [{ ...cell, text: cellText(own), box: boxAround(own) }] : [];
    });
    const first = Math.min(...cells.map(({ row }) => row));
    const [height, width] = [
      Math.max(...cells.map(({ row, rows }) => row + rows)) - first,
      Math.max(...cells.map(({ column, columns }) => column + columns)),
    ];
    if (height < 2 || width < 2 || height * width > MOST_PLACES) return [];
    const rows = Array.from({ length: height }, () => Array.from({ length: width }, () => ''));
    const box = boxAround(used);
    const cellBoxes = rows.map((row) => row.map((): Box => box));
    for (const cell of cells)
      for (let row = cell.row - first; row < cell.row - first + cell.rows; row++)
        for (let column = cell.column; column < cell.column + cell.columns; column++) {
          const [texts, boxes] = [rows[row], cellBoxes[row]];
          if (texts) texts[column] = cell.text;
          if (boxes) boxes[column] = cell.box;
        }
    const several = cells.filter(({ text }) => text !== '').length;
    if (several < 4 || !areBelow(cells)) return [];
    const merged = cells
      .filter((cell) => cell.rows * cell.columns > 1)
      .map(({ row, column, rows: down, columns }) => ({ row: row - first, column, rows: down, columns }));
    return [{ table: { box, rows, cellBoxes, ...(merged.length > 0 && { merged }) }, used: new Set(used) }];
  });
}

/** Whether rows follow each other from top to bottom. */
function areBelow(cells: readonly { row: number; box: Box }[]): boolean {
  const tops = [...Map.groupBy(cells, ({ row }) => row)]
    .toSorted(([a], [b]) => a - b)
    .map(([, row]) => median(row.map(({ box }) => box.y0)));
  return tops.every((top, at) => at === 0 || top >= (tops[at - 1] ?? 0) - 1);
}

/** The runs of the columns of a tagged page, in the order of its tags: a column ends where the next block is above. */
export function taggedColumns({ runs, tags }: Pick<PageParts, 'runs' | 'tags'>): Run[][] {
  const tagged = letters(runs.filter(({ tag }) => tag !== undefined));
  if (!tags || tagged < letters(runs) * ALL) return [[...runs]];
  const tables = new Map<number, number>();
  for (const [tag, { cell }] of tags.entries())
    if (cell && !tables.has(cell.table)) tables.set(cell.table, tag);
  const keyOf = ({ tag = -1 }: Run): number => tables.get(tags[tag]?.cell?.table ?? -1) ?? tag;
  const groups = [
    ...Map.groupBy(
      runs.filter(({ tag }) => tag !== undefined),
      keyOf,
    ),
  ]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([tag, own]) => (tags[tag]?.cell ? [own] : partedAbove(own)))
    .map((own) => ({ own, box: boxAround(own) }));
  const columns: { own: Run[]; box: Box }[] = [];
  /** The top of the last line before. */
  let last = -Infinity;
  for (const { own, box } of groups) {
    const column = columns.at(-1);
    if (column && box.y1 > last) {
      column.own.push(...own);
      column.box = boxAround([column.box, box]);
    } else columns.push({ own: [...own], box });
    last = greatest(own.map(({ y0 }) => y0));
  }
  if (columns.length < 2 || columns.length > MOST_COLUMNS) return [[...runs]];
  for (const run of runs) if (run.tag === undefined) nearest(columns, run).own.push(run);
  return columns.map(({ own }) => own);
}

/** The runs of a block in each of the columns that it is in: it goes on above its last line in the next one. */
function partedAbove(runs: readonly Run[]): Run[][] {
  const parts: Run[][] = [];
  for (const run of runs) {
    const last = parts.at(-1);
    if (last && run.y1 > (last.at(-1)?.y0 ?? 0)) last.push(run);
    else parts.push([run]);
  }
  return parts;
}

function nearest<T extends { box: Box }>(columns: readonly T[], run: Run): T {
  const distance = ({ box }: T): number =>
    Math.max(0, -overlapX(box, run)) + Math.max(0, -overlapY(box, run));
  return columns.reduce((best, column) => (distance(column) < distance(best) ? column : best));
}
