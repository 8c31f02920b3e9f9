import papaparse from 'papaparse';
import { type OpenDocument, UnreadableDocument } from '../opened-document.ts';
import { flowDocument } from '../flow/flow-document.ts';
import { CellCount, tableElements } from '../flow/grid.ts';
import type { FlowElement } from '../flow/paginate.ts';
import { cleanText } from '../layout/plain-text.ts';
import { LIMITS } from '../limits.ts';
import { readText } from '../text/open-text.ts';

/** @throws UnreadableDocument */
export async function openCsv(path: string): Promise<OpenDocument> {
  return flowDocument({ pages: [csvElements(await readText(path))] });
}

/** What programs write besides commas: semicolons where the comma is a decimal sign, tabs, bars. */
const DELIMITERS = [',', ';', '\t', '|'];
/** The line by which Excel is told the delimiter. */
const NAMED = /^sep=([,;|\t])\r?\n/i;

/**
 * Rows as tables of about a page each, below the first row. Rows of one cell before it, such as a title, are paragraphs.
 *
 * @throws UnreadableDocument
 */
export function csvElements(text: string): FlowElement[] {
  const named = NAMED.exec(text);
  const cells = new CellCount();
  const rows: string[][] = [];
  papaparse.parse<string[]>(named ? text.slice(named[0].length) : text, {
    skipEmptyLines: 'greedy',
    delimiter: named?.[1] ?? '',
    delimitersToGuess: DELIMITERS,
    step({ data }) {
      if (data.length > LIMITS.columns)
        throw new UnreadableDocument('too_large', `A row of the document has ${data.length} columns.`);
      const row = data.map((cell) => cleanText(cell.trim()));
      for (const cell of row) cells.add(cell);
      rows.push(row);
    },
  });
  const first = Math.max(
    0,
    rows.findIndex((row) => row.filter((cell) => cell !== '').length > 1),
  );
  const above = rows.slice(0, first).map((row): FlowElement => {
    return { type: 'paragraph', content: row.join(' ').trim() };
  });
  return [...above, ...(rows.length > 0 ? tableElements(rows.slice(first)) : [])];
}
