/** Tables of rows and cells, of any length. */
import { UnreadableDocument } from '../document-reader.ts';
import { markdownTable } from '../layout/plain-text.ts';
import { LIMITS } from '../limits.ts';
import { type FlowElement, PAGE_CHARACTERS } from './paginate.ts';

/** A table as one element; undefined for one without text. */
export function tableElement(rows: readonly (readonly string[])[]): FlowElement | undefined {
  const columns = rows.reduce((most, row) => Math.max(most, row.length), 0);
  if (!rows.some((row) => row.some((cell) => cell !== ''))) return undefined;
  checkGrid(rows.length, columns);
  return { type: 'table', content: markdownTable(rows), metadata: { rows: rows.length, columns } };
}

/** A table as one element; if that is longer than a page may be, as `tableElements`. @throws UnreadableDocument */
export function shortTableElements(rows: readonly (readonly string[])[]): FlowElement[] {
  const whole = tableElement(rows);
  if (!whole) return [];
  return whole.content.length > LIMITS.pageCharacters ? tableElements(rows) : [whole];
}

/**
 * A table of any length as elements of about a page each; every one begins with the first row, the header, as far as
 * its own rows reach.
 *
 * @throws UnreadableDocument
 */
export function tableElements(rows: readonly (readonly string[])[]): FlowElement[] {
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
  return pieces.flatMap((piece) => tableElement([header.slice(0, piece.columns), ...piece.rows]) ?? []);
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
