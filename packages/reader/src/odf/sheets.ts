import type { MergedCells } from '../document/element.ts';
import { divideByLength, type FlowElement } from '../flow/paginate.ts';
import { repeatMerged, sheetElements, type SheetRow } from '../flow/sheet.ts';
import { cleanText } from '../layout/plain-text.ts';
import { checkPageCount } from '../limits.ts';
import { childAt, childrenOf, type MarkupElement } from '../markup/parse-markup.ts';
import { rowsOf, OdfText, type TextSource } from './text-elements.ts';

/** A sheet cannot be longer or wider; beyond the last filled cell, programs repeat empty ones up to here. */
const LAST_ROW = 1_048_576;
const LAST_COLUMN = 16_384;

/** Each sheet begins a page, below its name. @throws UnreadableDocument for too many cells */
export function sheetPages(body: MarkupElement, source: TextSource, notes: Set<string>): FlowElement[][] {
  const hidden: string[] = [];
  const pages: FlowElement[][] = [];
  for (const table of childrenOf(body, 'table')) {
    const name = cleanText(table.attributes['table:name'] ?? '').trim();
    if (source.styles.of('table', table.attributes['table:style-name']).isShown === false) {
      hidden.push(name);
      continue;
    }
    const text = new OdfText(source);
    const { rows, hides } = readSheet(table, text, source);
    if (hides) notes.add('Hidden rows and columns were not read.');
    const elements = sheetElements(rows).map((element) => source.marks.separate(element));
    const drawn = childAt(table, 'shapes');
    if (drawn) text.read(drawn);
    elements.push(...text.take());
    if (elements.length === 0) continue;
    for (const page of divideByLength([{ type: 'heading', content: name, level: 1 }, ...elements]))
      pages.push(page);
    checkPageCount(pages.length);
  }
  if (hidden.length > 0) notes.add(`Hidden sheets were not read: ${hidden.join(', ')}.`);
  return pages;
}

/** Rows that a filter hides, and those of a group, are read: whoever opens the workbook can show them with a click. */
function readSheet(
  table: MarkupElement,
  text: OdfText,
  source: TextSource,
): { rows: SheetRow[]; hides: boolean } {
  const gone = hiddenColumns(table);
  const rows = new Map<number, SheetRow>();
  const merges: MergedCells[] = [];
  let hides = false;
  /** The next row among those that are shown. */
  let next = 0;
  for (const { row: node, isGrouped } of rowsOf(table)) {
    const times = repeats(node, 'rows', LAST_ROW - next);
    const found = cellsOf(node, text, gone);
    const isHidden = node.attributes['table:visibility'] === 'collapse' && !isGrouped;
    hides ||= found.hides || (isHidden && found.cells.length > 0);
    // What is below a hidden row moves up, so that a table goes on.
    if (isHidden) continue;
    for (let at = 0; at < times && found.cells.length > 0; at++) {
      const cells = new Map<number, string>();
      for (const { column, text: shown, rows: down, columns } of found.cells) {
        source.cells.add(shown);
        cells.set(column, shown);
        if (down > 1 || columns > 1) merges.push({ row: next + at, column, rows: down, columns });
      }
      rows.set(next + at, { row: next + at, cells, own: cells.size, merged: new Map() });
    }
    next += times;
  }
  repeatMerged(merges, rows, source.cells);
  return { rows: [...rows.values()], hides };
}

interface SheetCell extends Pick<MergedCells, 'rows' | 'columns' | 'column'> {
  text: string;
}

function cellsOf(
  row: MarkupElement,
  text: OdfText,
  gone: readonly { first: number; last: number }[],
): { cells: SheetCell[]; hides: boolean } {
  const cells: SheetCell[] = [];
  let hides = false;
  let column = 0;
  for (const cell of childrenOf(row)) {
    if (cell.name !== 'table-cell' && cell.name !== 'covered-table-cell') continue;
    const times = repeats(cell, 'columns', LAST_COLUMN - column);
    const shown = cell.name === 'table-cell' ? cellText(cell, text) : '';
    const end = shown === '' ? column : column + times;
    for (let at = column; at < end; at++) {
      if (gone.some(({ first, last }) => at >= first && at <= last)) hides = true;
      else
        cells.push({
          column: at,
          text: shown,
          rows: spans(cell, 'rows'),
          columns: spans(cell, 'columns'),
        });
    }
    column += times;
  }
  return { cells, hides };
}

/** Dates and times of a day are shown as ISO 8601, since their display depends on who reads them; all else as it is displayed. */
function cellText(cell: MarkupElement, text: OdfText): string {
  const { attributes } = cell;
  const lines = text.cellLines(cell);
  if (attributes['office:value-type'] === 'date') {
    const date = dateOf(attributes['office:date-value'] ?? '');
    if (date !== undefined) return date;
  }
  // Fractions of a second stay as displayed: cut off, they would be another time.
  const [, hours = '', minutes = '', rest = ''] =
    /^PT([01]\d|2[0-3])H(\d\d)M(\d\d)(?:[.,]0+)?S$/.exec(attributes['office:time-value'] ?? '') ?? [];
  // A time that is displayed without its hour, or with those of days, is a span.
  const isOfDay = [Number(hours), Number(hours) % 12 || 12].includes(Number.parseInt(lines[0] ?? '', 10));
  if (hours !== '' && isOfDay) return `${hours}:${minutes}${rest === '00' ? '' : `:${rest}`}`;
  if (lines.length > 0) return lines.join('\n');
  const value =
    attributes['office:string-value'] ??
    attributes['office:boolean-value']?.toUpperCase() ??
    attributes['office:value'];
  return cleanText(value ?? '').trim();
}

/** A date with its time to the millisecond: programs write 11.999999999 seconds for 12. */
function dateOf(value: string): string | undefined {
  const [, day, time, fraction = ''] =
    /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d)?)([.,]\d+)?)?/.exec(value) ?? [];
  if (day === undefined || time === undefined) return day;
  const whole = Date.parse(`${day}T${time}Z`) + Math.round(Number(`0${fraction.replace(',', '.')}`) * 1000);
  if (Number.isNaN(whole)) return undefined;
  return new Date(whole)
    .toISOString()
    .replace('T', ' ')
    .replace(/(?:(?: 00:00)?:00)?\.000Z$|0{0,2}Z$/, '');
}

const repeats = (node: MarkupElement, what: 'rows' | 'columns', most: number): number =>
  Math.max(
    0,
    Math.min(most, Number.parseInt(node.attributes[`table:number-${what}-repeated`] ?? '1', 10) || 1),
  );

const spans = (node: MarkupElement, what: 'rows' | 'columns'): number =>
  Math.max(
    1,
    Math.min(LAST_COLUMN, Number.parseInt(node.attributes[`table:number-${what}-spanned`] ?? '1', 10) || 1),
  );

function hiddenColumns(table: MarkupElement): { first: number; last: number }[] {
  const gone: { first: number; last: number }[] = [];
  let at = 0;
  const visit = (parent: MarkupElement, isGrouped: boolean): void => {
    for (const node of childrenOf(parent)) {
      if (node.name === 'table-column') {
        const times = repeats(node, 'columns', LAST_COLUMN - at);
        if (node.attributes['table:visibility'] === 'collapse' && !isGrouped)
          gone.push({ first: at, last: at + times - 1 });
        at += times;
      } else if (/^table-(?:header-columns|columns|column-group)$/.test(node.name))
        visit(node, isGrouped || node.name === 'table-column-group');
    }
  };
  visit(table, false);
  return gone;
}
