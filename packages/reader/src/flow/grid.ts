/** Tables of rows and cells, of any length. */
import { columnsOf, lengthOf, type MergedCells, type Table } from '../document/element.ts';
import { UnreadableDocument } from '../opened-document.ts';
import { LIMITS } from '../limits.ts';
import { PAGE_CHARACTERS } from './paginate.ts';

/** A table as an element; none for one without text. */
export function tableOf(
  rows: readonly (readonly string[])[],
  merged: readonly MergedCells[] = [],
  headerRows = 1,
): Table[] {
  if (!rows.some((row) => row.some((cell) => cell !== ''))) return [];
  checkGrid(rows.length, columnsOf({ rows }));
  const headed = headerRows > 1 && headerRows < rows.length && { headerRows };
  return [{ type: 'table', rows, ...headed, ...(merged.length > 0 && { merged }) }];
}

/** A cell that covers rows below it and columns beside it. */
export type SpanningCell = Pick<MergedCells, 'rows' | 'columns'> & { text: string };

/** The limits of browsers. */
const MOST_COLUMNS = 1_000;
const MOST_ROWS = 65_534;

/**
 * A table of cells that are next to each other as far as others leave room; one that covers several repeats its text. A
 * column in which no cell begins has no width and is left out: `colspan="99"` means all columns. As `tableElements` if it is
 * longer than a page may be.
 *
 * @param count of the document's cells, if it is not limited otherwise
 * @param mostColumns those beyond are cut off
 * @param headerRows  that the document says are its header
 */
export function tableOfCells(
  rows: readonly (readonly SpanningCell[])[],
  count?: CellCount,
  { mostColumns = Infinity, headerRows = 1 } = {},
): Table[] {
  const grid: string[][] = rows.map(() => []);
  const merged: MergedCells[] = [];
  const begun = new Set<number>();
  for (const [row, cells] of rows.entries()) {
    let column = 0;
    for (const { text, ...covers } of cells) {
      while (grid[row]?.[column] !== undefined) column += 1;
      if (column >= mostColumns) break;
      const columns = Math.min(Math.max(1, covers.columns), MOST_COLUMNS, mostColumns - column);
      const down = Math.min(Math.max(1, covers.rows), MOST_ROWS, rows.length - row);
      begun.add(column);
      if (columns > 1 || down > 1) merged.push({ row, column, rows: down, columns });
      for (let y = row; y < row + down; y++) {
        for (let x = column; x < column + columns; x++) {
          count?.add(text);
          const target = grid[y] ?? [];
          target[x] ??= text;
        }
      }
      column += columns;
    }
  }
  const filled = grid.map((row) =>
    Array.from(row, (cell: string | undefined) => cell ?? '').filter((_, at) => begun.has(at)),
  );
  const placeOf = [0];
  const width = columnsOf({ rows: grid });
  for (let at = 0; at < width; at++) placeOf.push((placeOf[at] ?? 0) + Number(begun.has(at)));
  const areas = merged.flatMap(({ column, columns, ...down }) => {
    const first = placeOf[column] ?? 0;
    const area = { ...down, column: first, columns: (placeOf[column + columns] ?? 0) - first };
    return area.columns > 1 || area.rows > 1 ? [area] : [];
  });
  const whole = tableOf(filled, areas, headerRows);
  return whole.some((table) => lengthOf(table) > LIMITS.pageCharacters)
    ? tableElements(filled, areas)
    : whole;
}

/**
 * A table of any length as elements of about a page each; every one begins with the first row, the header, as far as
 * its own rows reach. Merged cells are divided with their rows.
 *
 * @throws UnreadableDocument
 */
export function tableElements(
  rows: readonly (readonly string[])[],
  merged: readonly MergedCells[] = [],
): Table[] {
  const [header = [], ...body] = rows;
  const pieces = [{ rows: [] as (readonly string[])[], columns: header.length, characters: 0 }];
  for (const row of body) {
    const characters = charactersOf(row);
    const piece = pieces.at(-1);
    if (!piece) break;
    const columns = Math.max(piece.columns, row.length);
    const above = charactersOf(header.slice(0, columns)) + CELL_SIGNS * columns;
    // Short rows are written as wide as the widest.
    const filled = above + piece.characters + characters + CELL_SIGNS * columns * (piece.rows.length + 1);
    // At least as many rows as the header is long, so that it is repeated at the cost of its own length at most.
    if (filled > Math.max(PAGE_CHARACTERS, 2 * above) && piece.rows.length > 0) {
      pieces.push({ rows: [row], columns: row.length, characters });
      continue;
    }
    piece.rows.push(row);
    piece.columns = columns;
    piece.characters += characters;
  }
  const areas = dividedAreas(
    merged,
    pieces.map((piece) => piece.rows.length),
  );
  return pieces.flatMap((piece, at) =>
    tableOf(
      [header.slice(0, piece.columns), ...piece.rows],
      (areas[at] ?? []).flatMap((area) => areaWithin(area, piece.columns)),
    ),
  );
}

/** The parts of merged cells in each piece of a table. @param lengths of the pieces, without the header that all have */
function dividedAreas(merged: readonly MergedCells[], lengths: readonly number[]): MergedCells[][] {
  const parts: MergedCells[][] = lengths.map(() => []);
  const pieceOf = lengths.flatMap((length, piece) => Array.from({ length }, () => piece));
  let next = 1;
  const starts = lengths.map((length) => (next += length) - length);
  for (const area of merged) {
    const end = Math.min(area.row + area.rows, pieceOf.length + 1);
    if (area.row === 0) for (const each of parts) each.push({ ...area, rows: 1 });
    for (let row = Math.max(area.row, 1); row < end;) {
      const piece = pieceOf[row - 1] ?? 0;
      const start = starts[piece] ?? 1;
      const below = Math.min(end, start + (lengths[piece] ?? 0));
      const top = area.row === 0 && piece === 0 ? parts[0]?.at(-1) : undefined;
      if (top) top.rows += below - row;
      else parts[piece]?.push({ ...area, row: row - start + 1, rows: below - row });
      row = below;
    }
  }
  return parts;
}

/** The part of merged cells in a number of columns; none if it is a single cell. */
function areaWithin(area: MergedCells, width: number): MergedCells[] {
  const columns = Math.min(area.columns, width - area.column);
  return columns >= 1 && (columns > 1 || area.rows > 1) ? [{ ...area, columns }] : [];
}

/** What a cell is written with. */
const CELL_SIGNS = ' | '.length;

const charactersOf = (row: readonly string[]): number => row.reduce((sum, cell) => sum + cell.length, 0);

/** Cells of a table, empty ones too; a sheet may have few cells far apart. @throws UnreadableDocument for too many */
export function checkGrid(rows: number, columns: number): void {
  if (rows * columns > 4 * LIMITS.cells)
    throw new UnreadableDocument(
      'too_large',
      `A table of the document has ${rows} rows by ${columns} columns.`,
    );
}

/** Counts cells of a document and the length of their text. */
export class CellCount {
  #cells = 0;
  #characters = 0;

  /** @throws UnreadableDocument over a limit */
  add(text: string): void {
    this.#cells += 1;
    this.#characters += text.length;
    if (this.#cells > LIMITS.cells || this.#characters > LIMITS.textBytes) {
      throw new UnreadableDocument(
        'too_large',
        `The document has more than ${LIMITS.cells} cells, or ${LIMITS.textBytes} characters in them.`,
      );
    }
  }
}
