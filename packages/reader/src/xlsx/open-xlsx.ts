import { withArchive } from '../archive.ts';
import { type OpenDocument, UnreadableDocument } from '../opened-document.ts';
import { flowDocument } from '../flow/flow-document.ts';
import { CellCount, checkGrid, tableElements } from '../flow/grid.ts';
import { divideByLength, type FlowElement, pagesOfParts } from '../flow/paginate.ts';
import { cleanText } from '../layout/plain-text.ts';
import { coreProperties } from '../markup/core-properties.ts';
import { childAt, childrenOf, descendants, type MarkupElement, textOf } from '../markup/parse-markup.ts';
import { relationOf, relationshipsOf, xmlPart } from '../markup/xml-parts.ts';
import { numberFormats } from './number-formats.ts';
import { readSheet, type SheetRow, type Workbook } from './read-sheet.ts';

const XLSX = {
  name: 'XLSX',
  /** Images, charts, macros and embedded files are never unpacked. */
  needed:
    /^(?:_rels\/.*|docProps\/core\.xml|xl\/(?:workbook|sharedStrings|styles)\.xml|xl\/worksheets\/[^/]+\.xml|xl\/_rels\/.*)$/,
  main: 'xl/workbook.xml',
};

/** Each sheet begins a page, below its name. @throws UnreadableDocument */
export async function openXlsx(path: string): Promise<OpenDocument> {
  return withArchive(path, XLSX, async (archive) => {
    const core = await xmlPart(archive, 'docProps/core.xml');
    const workbook = childAt(await xmlPart(archive, XLSX.main), 'workbook');
    const is1904 = /^(?:1|true)$/.test(childAt(workbook, 'workbookPr')?.attributes['date1904'] ?? '');
    const shared: Workbook = {
      strings: stringsOf(await xmlPart(archive, 'xl/sharedStrings.xml')),
      showNumber: numberFormats(await xmlPart(archive, 'xl/styles.xml'), is1904),
      cells: new CellCount(),
    };
    const parts = new Map((await relationshipsOf(archive, XLSX.main)).map(({ id, target }) => [id, target]));
    const sheets = childrenOf(childAt(workbook, 'sheets'), 'sheet').map((entry) => ({
      part: parts.get(relationOf(entry)) ?? '',
      name: cleanText(entry.attributes['name'] ?? ''),
    }));
    // A part has its first name.
    const names = new Map(sheets.toReversed().map(({ part, name }) => [part, name]));
    const pages = await pagesOfParts(
      sheets.map(({ part }) => part),
      async (part) => {
        const sheet = await archive.text(part);
        const elements = sheet === undefined ? [] : sheetElements(readSheet(sheet, shared));
        const heading = { type: 'heading', content: names.get(part) ?? '', level: 1 } as const;
        return elements.length === 0 ? [] : divideByLength([heading, ...elements]);
      },
    );
    if (pages.length === 0) throw new UnreadableDocument('empty', 'The workbook has no cells with content.');
    return flowDocument({ pages, notes: archive.notes, ...coreProperties(childAt(core, 'coreProperties')) });
  });
}

/** The strings that cells share; the reading aid of Japanese text is left out. */
function stringsOf(root: MarkupElement | undefined): string[] {
  return childrenOf(childAt(root, 'sst'), 'si').map((item) =>
    childrenOf(item)
      .filter(({ name }) => name === 't' || name === 'r')
      .map((part) => (part.name === 't' ? textOf(part) : [...descendants(part, 't')].map(textOf).join('')))
      .join(''),
  );
}

/**
 * Rows without an empty row between them are a table; rows of one cell above it are its title or notes. Columns without
 * content are left out.
 */
export function sheetElements(rows: readonly SheetRow[]): FlowElement[] {
  const groups: SheetRow[][] = [];
  for (const [at, row] of rows.entries()) {
    if (at === 0 || row.row > (rows[at - 1]?.row ?? 0) + 1) groups.push([]);
    groups.at(-1)?.push(row);
  }
  return groups.flatMap((group) => {
    const first = group.findIndex(({ own }) => own > 1);
    const above = (first < 0 ? group : group.slice(0, first)).map(({ cells }): FlowElement => {
      return { type: 'paragraph', content: [...new Set(cells.values())].join(' ') };
    });
    return first < 0 ? above : [...above, ...tableOfRows(group.slice(first))];
  });
}

function tableOfRows(rows: readonly SheetRow[]): FlowElement[] {
  const used = new Set(rows.flatMap(({ cells }) => [...cells.keys()]));
  const columns = [...used].toSorted((a, b) => a - b);
  checkGrid(rows.length, columns.length);
  const places = new Map(columns.map((column, at) => [column, at]));
  const merged = rows.flatMap((each, row) =>
    [...each.merged].flatMap(([from, area]) => {
      // A merged cell has its text in each of its columns.
      const [column, last] = [places.get(from), places.get(from + area.columns - 1)];
      if (column === undefined || last === undefined) return [];
      return [{ row, column, rows: Math.min(area.rows, rows.length - row), columns: last - column + 1 }];
    }),
  );
  const grid = rows.map(({ cells }) => columns.map((column) => cells.get(column) ?? ''));
  return tableElements(grid, merged);
}
