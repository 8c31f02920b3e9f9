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
  const { text, ...facts } = await readText(path);
  return flowDocument({ pages: [csvElements(text)], ...facts });
}

/** What programs write: commas, semicolons where the comma is a decimal sign, tabs, bars; each with the others within a cell. */
const DELIMITERS: Readonly<Record<string, RegExp>> = {
  ',': /[;\t|](?!\s)/,
  ';': /[,\t|](?!\s)/,
  '\t': /[,;|](?!\s)/,
  '|': /[,;\t](?!\s)/,
};
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
  const delimiter = named?.[1] ?? delimiterOf(text);
  const body = withoutSpaces(named ? text.slice(named[0].length) : text, delimiter);
  /** Where the row begins that is read next. */
  let start = 0;
  const read = (part: string, quoteChar: string): void =>
    void papaparse.parse<string[]>(part, {
      skipEmptyLines: 'greedy',
      delimiter,
      quoteChar,
      step,
    });
  const step = ({ data, errors, meta }: papaparse.ParseStepResult<string[]>): void => {
    // A quote without an end, which would take the rest of the text, is a sign.
    if (errors.some(({ code }) => code === 'MissingQuotes')) return read(body.slice(start), '\0');
    start = meta.cursor;
    if (data.length > LIMITS.columns)
      throw new UnreadableDocument('too_large', `A row of the document has ${data.length} columns.`);
    const row = data.map((cell) => cleanText(cell.trim()));
    for (const cell of row) cells.add(cell);
    rows.push(row);
  };
  read(body, '"');
  const first = Math.max(
    0,
    rows.findIndex((row) => row.filter((cell) => cell !== '').length > 1),
  );
  const above = rows.slice(0, first).map((row): FlowElement => {
    return { type: 'paragraph', content: row.join(' ').trim() };
  });
  return [...above, ...(rows.length > 0 ? tableElements(rows.slice(first)) : [])];
}

/** Enough to tell the delimiter. */
const SAMPLE = { characters: 64 * 1024, rows: 100 };
/** With signs between thousands or before decimals, of any language, and a unit. */
const NUMBER = /^[-+(]?[\d.,'’\s]+[%\p{Sc})]?$/u;

/**
 * The delimiter by which most rows have as many cells, and most cells none of the other delimiters. Commas in numbers, and signs
 * before a space, as in a sentence, are no delimiters. Of equals, the one with most columns.
 */
function delimiterOf(text: string): string {
  const sample = text.slice(0, SAMPLE.characters);
  const ranked = Object.entries(DELIMITERS).map(([delimiter, others]) => {
    const { data } = papaparse.parse<string[]>(sample, {
      delimiter,
      preview: SAMPLE.rows,
      skipEmptyLines: 'greedy',
    });
    const counts = new Map<number, number>();
    for (const { length } of data) if (length > 1) counts.set(length, (counts.get(length) ?? 0) + 1);
    const [columns = 0, rows = 0] = [...counts].toSorted((a, b) => b[1] - a[1] || b[0] - a[0])[0] ?? [];
    const cells = data.flat();
    const whole = cells.filter((cell) => NUMBER.test(cell.trim()) || !others.test(cell.trim())).length;
    const score = (rows / Math.max(1, data.length)) * (whole / Math.max(1, cells.length));
    return { delimiter, columns, score };
  });
  return ranked.toSorted((a, b) => b.score - a.score || b.columns - a.columns)[0]?.delimiter ?? ',';
}

/** A cell in quotes behind a delimiter and spaces. Without a limit, a long one would exceed the stack. */
const SPACED = /([,;\t|]) +("(?:[^"]|""){0,4000}") *(?=\1|$)/gm;

/** Without the spaces that some write between a delimiter and a quote. */
function withoutSpaces(text: string, delimiter: string): string {
  return text.replaceAll(SPACED, (whole, sign: string, cell: string) =>
    sign === delimiter ? sign + cell : whole,
  );
}
