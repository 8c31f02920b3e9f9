import { Parser } from 'htmlparser2';
import type { MergedCells } from '../document/element.ts';
import type { CellCount } from '../flow/grid.ts';
import { repeatMerged, type SheetRow } from '../flow/sheet.ts';
import { type InlineMarks, type Signs, UNMARKED } from '../inline/inline-marks.ts';
import { lowered, raised } from '../inline/raised.ts';
import { cleanText } from '../layout/plain-text.ts';
import { localName, unescaped } from '../markup/parse-markup.ts';
import type { ShowNumber } from './number-formats.ts';

/** What the cells of all sheets refer to. */
export interface Workbook {
  strings: readonly string[];
  showNumber: ShowNumber;
  showText: ShowNumber;
  /** Styles of cells whose text is struck out. */
  struckStyles: ReadonlySet<number>;
  marks: InlineMarks;
  cells: CellCount;
}

/** The cell that is being read. */
interface OpenCell {
  column: number;
  type: string;
  style: number;
  value: string;
}

/**
 * Reads the stored values of a worksheet, without building a tree of its cells. Formulas are neither read nor run: their
 * last results are stored with them. Rows and columns that its author hid are left out; those that a filter hides or a collapsed
 * group are not.
 *
 * @param targets addresses of links by the id of their relationship
 * @returns its rows, and whether it hides others
 * @throws UnreadableDocument for too many cells
 */
export function readSheet(
  xml: string,
  workbook: Workbook,
  targets: ReadonlyMap<string, string> = new Map(),
): { rows: SheetRow[]; hides: boolean } {
  const rows = new Map<number, SheetRow>();
  const merges: MergedCells[] = [];
  const links: { area: MergedCells; target: string }[] = [];
  let row = -1;
  let column = -1;
  let cell: OpenCell | undefined;
  const hiddenRows = new Set<number>();
  const hiddenColumns: { first: number; last: number }[] = [];
  let isFiltered = false;
  /** Whether text here is part of a value. */
  let inside = false;
  let isReading = false;
  /** Of a part of a text in its cell. */
  let look: RunLook = {};
  let run = '';

  const parser = new Parser(
    {
      onopentag(name, attributes) {
        const local = localName(name);
        if (local === 'row') {
          const named = /^\s*([1-9]\d{0,6})\s*$/.exec(attributes['r'] ?? '')?.[1];
          row = named === undefined ? row + 1 : Number(named) - 1;
          column = -1;
          if (isHidden(attributes)) hiddenRows.add(row);
        } else if (local === 'col' && isHidden(attributes)) {
          hiddenColumns.push({ first: Number(attributes['min']) - 1, last: Number(attributes['max']) - 1 });
        } else if (local === 'filterColumn') isFiltered = true;
        else if (local === 'c') {
          column = placeOf(attributes['r'])?.column ?? column + 1;
          const { t: type = 'n', s: style = '0' } = attributes;
          cell = { column, type, style: Number(style), value: '' };
        } else if (local === 'v' || local === 't') inside = !isReading;
        else if (local === 'rPh') isReading = true;
        else if (local === 'r') look = {};
        else if (local === 'vertAlign') look.height = attributes['val'];
        else if (local === 'strike') look.isStruck = !/^(?:0|false)$/.test(attributes['val'] ?? '');
        else if (local === 'hyperlink') {
          const target = targets.get(attributes['r:id'] ?? '');
          if (target !== undefined)
            for (const area of areaOf(attributes['ref'])) links.push({ area, target });
        } else if (local === 'mergeCell') merges.push(...areaOf(attributes['ref']));
      },
      ontext(text) {
        if (inside) run += text;
      },
      onclosetag(name) {
        const local = localName(name);
        if (local === 'rPh') isReading = false;
        if (inside && cell) cell.value += withLook(run, look, cell.value, workbook.marks);
        if (local === 'v' || local === 't') [inside, run] = [false, ''];
        if (local === 'c' || local === 'r') look = {};
        if (local !== 'c' || !cell) return;
        const plain = cleanText(textOf(cell, workbook)).trim();
        if (plain !== '' && row >= 0) {
          const { begin, end } = workbook.struckStyles.has(cell.style) ? workbook.marks.struck : UNMARKED;
          const text = `${begin}${plain}${end}`;
          workbook.cells.add(text);
          const read = rows.get(row) ?? { row, cells: new Map<number, string>(), own: 0, merged: new Map() };
          read.cells.set(cell.column, text);
          read.own += 1;
          rows.set(row, read);
        }
        cell = undefined;
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  const sorted = new Map([...rows].toSorted(([a], [b]) => a - b));
  for (const { area, target } of links) link(sorted, area, workbook.marks.link(target));
  repeatMerged(merges, sorted, workbook.cells);
  const hidden = (at: number): boolean => hiddenColumns.some(({ first, last }) => at >= first && at <= last);
  const gone = isFiltered ? [] : [...hiddenRows].toSorted((a, b) => a - b);
  let above = 0;
  const shown = [...sorted.values()].flatMap((each) => {
    // What is below a hidden row moves up, so that a table goes on.
    while ((gone[above] ?? Infinity) < each.row) above += 1;
    if (gone[above] === each.row) return [];
    const cells = new Map([...each.cells].filter(([at]) => !hidden(at)));
    const own = each.own - (each.cells.size - cells.size);
    return cells.size === 0 ? [] : [{ ...each, row: each.row - above, cells, own: Math.max(1, own) }];
  });
  const cellsOf = (some: Iterable<SheetRow>): number =>
    [...some].reduce((sum, { cells }) => sum + cells.size, 0);
  return { rows: shown, hides: cellsOf(shown) < cellsOf(sorted.values()) };
}

/** How a part of a text looks. */
export interface RunLook {
  height?: string | undefined;
  isStruck?: boolean;
}

/** A part of a text with what its look says. @param before the text that it follows */
export function withLook(
  text: string,
  { height, isStruck }: RunLook,
  before: string,
  marks: InlineMarks,
): string {
  const placed =
    height === 'superscript' ? raised(text) : height === 'subscript' ? lowered(text, before.slice(-2)) : text;
  const { begin, end } = isStruck ? marks.struck : UNMARKED;
  return `${begin}${placed}${end}`;
}

/** Cells that a link may cover. */
const MOST_LINKED = 1_000;

function link(rows: ReadonlyMap<number, SheetRow>, area: MergedCells, { begin, end }: Signs): void {
  if (begin === '' || area.rows * area.columns > MOST_LINKED) return;
  for (let row = area.row; row < area.row + area.rows; row++) {
    const cells = rows.get(row)?.cells;
    for (let column = area.column; column < area.column + area.columns; column++) {
      const text = cells?.get(column);
      if (text !== undefined) cells?.set(column, `${begin}${text}${end}`);
    }
  }
}

/** A collapsed group is at hand for its readers. */
const isHidden = ({ hidden = '', outlineLevel = '0' }: Readonly<Record<string, string>>): boolean =>
  /^(?:1|true)$/.test(hidden) && outlineLevel === '0';

function textOf({ type, style, value }: OpenCell, { strings, showNumber, showText }: Workbook): string {
  if (type === 's') return showText(strings[Number(value)] ?? '', style);
  if (type === 'b') return value.trim() === '1' ? 'TRUE' : 'FALSE';
  // Formats of texts are not those of errors.
  if (type === 'e') return value;
  if (type === 'n') return value === '' ? '' : showNumber(value, style);
  return showText(unescaped(value), style);
}

/** The numbers of `BC12`; undefined for anything else. */
export function placeOf(reference = ''): { column: number; row: number } | undefined {
  const [, letters, digits] = /^\$?([A-Z]{1,3})\$?(\d{1,7})$/.exec(reference) ?? [];
  if (letters === undefined || digits === undefined) return undefined;
  const column = [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
  return { column, row: Number(digits) - 1 };
}

/** The cells of `B2:C4`. */
function areaOf(reference = ''): MergedCells[] {
  const [from, to = from] = reference.split(':').map(placeOf);
  return from && to ? [{ ...from, rows: to.row - from.row + 1, columns: to.column - from.column + 1 }] : [];
}
