import { onOneLine } from '../document/element.ts';
import { ElementList } from '../flow/element-list.ts';
import { type CellCount, type SpanningCell, tableOfCells } from '../flow/grid.ts';
import { type FlowElement, joinPairs } from '../flow/paginate.ts';
import type { InlineMarks } from '../inline/inline-marks.ts';
import { cleanText } from '../layout/plain-text.ts';

/** What a paragraph is. */
export interface ParagraphLook {
  /** Of a heading, from 1. */
  level: number | undefined;
  /** Of the list that it is in, from 0. */
  listLevel: number | undefined;
  /** Whether text in a font of listings is one: in a typewritten document it is not. */
  isListing: boolean;
  inTable: boolean;
  /** Whether it is in a table within a cell. */
  isInner: boolean;
}

/** The definition of a cell: where it ends, in twips, and whether it continues the one above. */
export interface CellPlace {
  end: number;
  continues: boolean;
  /** Whether it continues the one before. */
  joined: boolean;
}

interface Row {
  cells: string[];
  places: readonly CellPlace[];
  isHeader: boolean;
}

/** Ends of cells in two rows that differ by less are one edge. */
const SAME_EDGE = 40;
/** Of a cell that names no place. */
const USUAL_WIDTH = 1_000;
const MOST_CELLS = 1_000;

/** The paragraphs and tables of a text, a note, a header or a box, in their order. */
export class RtfFlow {
  readonly #marks: InlineMarks;
  readonly #count: CellCount;
  readonly #elements = new ElementList();
  #text = '';
  #marker = '';
  /** Whether all text of the paragraph is. */
  #isMono = true;
  #lines: string[] = [];
  #cells: string[] = [];
  #rows: Row[] = [];
  /** Of tables within cells; those that have ended follow the table around them. */
  #inner: { lines: string[]; cells: string[]; rows: Row[] } = { lines: [], cells: [], rows: [] };
  #later: Row[][] = [];

  constructor(marks: InlineMarks, count: CellCount) {
    this.#marks = marks;
    this.#count = count;
  }

  /** @param isMono whether its letters are equally wide */
  write(text: string, isMono = false): void {
    this.#text += text;
    if (text.trim() !== '') this.#isMono &&= isMono;
  }

  /** The number or bullet of the paragraph, as it is shown. */
  mark(text: string): void {
    this.#marker += text;
  }

  /** The end of what is written so far, for what is lowered after it. */
  get end(): string {
    return this.#text.slice(-2);
  }

  paragraph({ level, listLevel, isListing, inTable, isInner }: ParagraphLook): void {
    const raw = cleanText(this.#text);
    const text = raw.trim();
    const shown = this.#marker.trim();
    const number = /[\p{L}\p{N}]/u.test(shown) ? shown : '';
    const isItem = listLevel !== undefined || shown !== '';
    this.#text = '';
    this.#marker = '';
    const isCode = isListing && this.#isMono;
    this.#isMono = true;
    if (inTable) {
      const lines = isInner ? this.#inner.lines : this.#lines;
      if (text !== '') lines.push(number === '' ? text : `${number} ${text}`);
      return;
    }
    this.#endTable();
    if (isCode && !isItem && level === undefined && (text !== '' || this.#elements.isInListing))
      return this.#elements.addLine(raw.trimEnd());
    if (text === '') return this.#elements.endListing();
    const content = text.replaceAll(/ {2,}/g, ' ');
    if (isItem && level === undefined)
      this.#elements.addItem({ marker: number || '-', text: onOneLine(content), depth: listLevel ?? 0 });
    else if (level === undefined) this.#elements.add({ type: 'paragraph', content });
    else this.#elements.add({ type: 'heading', content: `${number} ${onOneLine(content)}`.trim(), level });
  }

  cell(look: ParagraphLook): void {
    this.paragraph({ ...look, inTable: true, isInner: false });
    if (this.#inner.rows.length > 0) this.#later.push(this.#inner.rows.splice(0));
    if (this.#cells.length < MOST_CELLS) this.#cells.push(this.#lines.join('\n'));
    this.#lines = [];
  }

  /** Ends a cell of a table within a cell. */
  innerCell(look: ParagraphLook): void {
    this.paragraph({ ...look, inTable: true, isInner: true });
    if (this.#inner.cells.length < MOST_CELLS) this.#inner.cells.push(this.#inner.lines.splice(0).join('\n'));
  }

  innerRow(places: readonly CellPlace[], isHeader: boolean): void {
    this.#inner.rows.push({ cells: this.#inner.cells.splice(0), places, isHeader });
  }

  row(places: readonly CellPlace[], isHeader: boolean): void {
    this.#elements.endRun();
    // Around tables within cells, LibreOffice writes more ends of cells than its rows have.
    while (places.length > 0 && this.#cells.length > places.length && this.#cells.at(-1) === '')
      this.#cells.pop();
    if (this.#cells.length > 0) this.#rows.push({ cells: this.#cells, places, isHeader });
    this.#cells = [];
  }

  add(element: FlowElement): void {
    this.#elements.add(element);
  }

  /** What has been read. */
  take(look: ParagraphLook): FlowElement[] {
    this.paragraph({ ...look, inTable: false });
    this.#endTable();
    return joinPairs(this.#elements.take().map((element) => this.#marks.separate(element)));
  }

  #endTable(): void {
    if (this.#lines.length > 0) this.#cells.push(this.#lines.splice(0).join('\n'));
    if (this.#cells.length > 0) this.row([], false);
    for (const rows of [this.#rows.splice(0), ...this.#later.splice(0)]) this.#addTable(rows);
  }

  #addTable(rows: readonly Row[]): void {
    if (rows.length === 0) return;
    const [only] = rows;
    if (rows.length === 1 && only?.cells.length === 1) {
      // A table of one cell merely frames what it contains.
      for (const content of only.cells)
        if (content !== '') this.#elements.add({ type: 'paragraph', content });
      return;
    }
    const below = rows.findIndex(({ isHeader }) => !isHeader);
    this.#elements.add(...tableOfCells(spanning(rows), this.#count, { headerRows: Math.max(1, below) }));
  }
}

/** Cells by the columns that their edges make: rows differ in the widths of their cells instead of naming columns. */
function spanning(rows: readonly Row[]): SpanningCell[][] {
  const endOf = (row: Row, at: number): number => row.places[at]?.end ?? (at + 1) * USUAL_WIDTH;
  const edges: number[] = [];
  const ends = rows.flatMap((row) => row.cells.map((_, at) => endOf(row, at)));
  for (const end of ends.toSorted((a, b) => a - b))
    if (end - (edges.at(-1) ?? -Infinity) > SAME_EDGE) edges.push(end);
  const columnOf = (end: number): number => edges.findLastIndex((edge) => edge <= end);
  /** The cell that each column's continues. */
  const above = new Map<number, SpanningCell>();
  return rows.map((row) => {
    const made: SpanningCell[] = [];
    let column = 0;
    for (const [at, text] of row.cells.entries()) {
      const place = row.places[at];
      const last = made.at(-1);
      const next = columnOf(endOf(row, at)) + 1;
      const columns = Math.max(1, next - column);
      if (place?.joined && last) last.columns += columns;
      else if (place?.continues && text === '' && above.has(column)) {
        const cell = above.get(column);
        if (cell) cell.rows += 1;
      } else {
        const cell = { text, rows: 1, columns };
        above.set(column, cell);
        made.push(cell);
      }
      column += columns;
    }
    return made;
  });
}
