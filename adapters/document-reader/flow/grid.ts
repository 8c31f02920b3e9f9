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

/**
 * A table of any length as elements of about a page each; every one begins with the first row, the header.
 *
 * @throws UnreadableDocument
 */
export function tableElements(rows: readonly (readonly string[])[]): FlowElement[] {
  const [header = [], ...body] = rows;
  const lengthOf = (row: readonly string[]) => row.reduce((sum, cell) => sum + cell.length + 3, 0);
  const above = lengthOf(header);
  const pieces: string[][][] = [[[...header]]];
  let filled = above;
  for (const row of body) {
    const length = lengthOf(row);
    // At least as many rows as the header is long, so that it is repeated at the cost of its own length at most.
    if (filled + length > Math.max(PAGE_CHARACTERS, 2 * above) && filled > above) {
      pieces.push([[...header]]);
      filled = above;
    }
    pieces.at(-1)?.push([...row]);
    filled += length;
  }
  return pieces.flatMap((piece) => tableElement(piece) ?? []);
}

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
