import { columnsOf, type Table } from '../document/element.ts';
import type { PageBox, PageElement } from '../document/page.ts';

type PlacedTable = Table & Pick<PageElement, 'box' | 'cellBoxes'>;

/** Edges or middles of a column on two pages differ by less than this, as a share of the page's width. */
const SAME_PLACE = 0.015;
/** Text above a table that only says that it goes on. */
const CONTINUED =
  /\b(?:continued|cont[’']?d|cont\.|fortsetzung|forts\.|suite|continuaci[oó]n|continuazione|seguito)/iu;
const LONGEST_NOTE = 80;
const NUMBER = /\p{N}/u;
const WORD = /\p{L}{3}/u;

/** Whether the first table of a page may go on from the page before. */
export const beginsWithTable = (elements: readonly PageElement[]): boolean => firstOf(elements) !== undefined;

/**
 * The elements of a page of which the table at its top goes on from the page before without repeating its header: it gets
 * that header. Elements as they are if it does not, or has a header of its own.
 *
 * @param before of the page before, with the header of their own last table
 */
export function continueTable(
  elements: readonly PageElement[],
  before: readonly PageElement[],
): readonly PageElement[] {
  const table = firstOf(elements);
  const last = before.findLast(({ role }) => role === undefined);
  if (!table || last?.type !== 'table' || !isSameGrid(table, last)) return elements;
  const { headerRows = 1 } = last;
  const header = last.rows.slice(0, headerRows);
  if (hasHeader(table, header)) return elements;
  const at = { y: table.box.y, h: 0 };
  const boxes = columnPlaces(last).map((place): PageBox => ({ x: place.x0, w: place.x1 - place.x0, ...at }));
  const shifted = (table.merged ?? []).map((area) => ({ ...area, row: area.row + headerRows }));
  const above = (last.merged ?? []).filter((area) => area.row + area.rows <= headerRows);
  const merged = [...above, ...shifted];
  const { merged: _, ...rest } = table;
  const continued: PlacedTable = {
    ...rest,
    rows: [...header, ...table.rows],
    headerRepeated: true,
    ...(headerRows > 1 && { headerRows }),
    ...(merged.length > 0 && { merged }),
    ...(table.cellBoxes && { cellBoxes: [...header.map(() => boxes), ...table.cellBoxes] }),
  };
  return elements.map((element) => (element === table ? continued : element));
}

/** The table that a page's text begins with, but for a note that it goes on. */
function firstOf(elements: readonly PageElement[]): PlacedTable | undefined {
  const body = elements.filter(({ role }) => role === undefined);
  const isNote = (element: PageElement | undefined): boolean =>
    element !== undefined &&
    'content' in element &&
    element.content.length <= LONGEST_NOTE &&
    CONTINUED.test(element.content);
  const first = isNote(body[0]) ? body[1] : body[0];
  return first?.type === 'table' ? first : undefined;
}

function isSameGrid(one: PlacedTable, other: PlacedTable): boolean {
  const [places, others] = [columnPlaces(one), columnPlaces(other)];
  return (
    places.length > 1 &&
    places.length === columnsOf(one) &&
    others.length === places.length &&
    places.every((place, at) => {
      const beside = others[at] ?? place;
      const distances = [
        place.x0 - beside.x0,
        place.x1 - beside.x1,
        (place.x0 + place.x1 - beside.x0 - beside.x1) / 2,
      ];
      return distances.some((distance) => Math.abs(distance) < SAME_PLACE);
    })
  );
}

/** Left and right edges of the columns. */
function columnPlaces({ cellBoxes = [] }: PlacedTable): { x0: number; x1: number }[] {
  const columns = Math.max(0, ...cellBoxes.map((row) => row.length));
  return Array.from({ length: columns }, (_, at) => {
    const boxes = cellBoxes.flatMap((row) => row[at] ?? []);
    return { x0: Math.min(...boxes.map(({ x }) => x)), x1: Math.max(...boxes.map(({ x, w }) => x + w)) };
  });
}

/** Whether its first row is the header, or words above columns of numbers. */
function hasHeader({ rows }: Table, header: readonly (readonly string[])[]): boolean {
  const [first = [], ...others] = rows;
  const textOf = (row: readonly string[] | undefined): string => (row ?? []).join('\n').toLowerCase();
  if (header.some((row) => textOf(row) === textOf(first))) return true;
  return first.some((cell, at) => {
    const below = others.map((row) => row[at] ?? '').filter((text) => text !== '');
    const numbers = below.filter((text) => NUMBER.test(text) && !WORD.test(text));
    return below.length > 1 && numbers.length > below.length * 0.8 && WORD.test(cell) && !NUMBER.test(cell);
  });
}
