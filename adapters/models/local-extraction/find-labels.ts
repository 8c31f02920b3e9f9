import type { PageElement } from '../../../domain/documents/page.ts';
import { cellsOf, linesOf, type ReadPage } from '../../../domain/structured-extraction/read-page.ts';
import { wordsOf } from '../../../domain/structured-extraction/words.ts';

/** A label on a page, and what stands beside it. */
export interface Labelled {
  label: string;
  value: string;
  /** Words of the heading that it stands below. */
  section: readonly string[];
}

/** A table with a header. */
export interface LabelledTable {
  headers: readonly string[];
  rows: readonly (readonly string[])[];
}

/** A heading, or what stands like one, with the list below it. */
export interface LabelledList {
  label: string;
  items: readonly string[];
}

/** Everything on pages that says what it is. */
export interface Labels {
  pairs: readonly Labelled[];
  tables: readonly LabelledTable[];
  lists: readonly LabelledList[];
  /** Words of the first heading, or of the first line. */
  title: readonly string[];
}

const COLON = /^([^:|]{1,60}?) ?: (\S.*)$/u;
/** A word or more, then an amount at the end of the line: `TOTAL 12.50`, `Tax (8 %) $1.00`. */
const TRAILING =
  /^(\p{L}[^\d$€£¥]{0,38}?(?: ?\([^)]{0,40}\))?)[ .…_]((?:(?:[-–−$€£¥]|[A-Z]{3}\b) ?){0,3}\d[\d.,'’ ]{0,30}(?:[$€£¥%]|[A-Z]{3})?)$/u;
/** What leads from a label to its amount. */
const LEADERS = /(?:[.…_] ?){2,}/g;
/** The longest thing that is a label and not a sentence. */
const MOST_LABEL_WORDS = 6;

export function findLabels(pages: readonly ReadPage[]): Labels {
  const pairs: Labelled[] = [];
  const tables: LabelledTable[] = [];
  const lists: LabelledList[] = [];
  for (const page of pages) {
    let section: readonly string[] = [];
    let heading = '';
    for (const element of page.elements) {
      const { type, content, metadata } = element;
      if (type === 'heading') {
        heading = content;
        section = wordsOf(content);
      } else if (type === 'table') {
        const table = readTable(element);
        tables.push(table);
        pairs.push(...pairsOfRows([table.headers, ...table.rows]).map((pair) => ({ ...pair, section })));
      } else if (type === 'list') {
        lists.push({ label: heading, items: content.split('\n').map(withoutMarker) });
      } else if (type === 'key_value') {
        pairs.push({ label: String(metadata['key']), value: String(metadata['value']), section });
      } else {
        pairs.push(
          ...content
            .split('\n')
            .flatMap(pairOfLine)
            .map((pair) => ({ ...pair, section })),
        );
      }
    }
    // Lines as recognised are shorter than the paragraphs that they were joined to.
    const own = (page.lines ?? []).flatMap(({ text }) => pairOfLine(text));
    pairs.push(...own.map((pair) => ({ ...pair, section: [] })));
  }
  return { pairs: distinct(pairs), tables, lists, title: titleOf(pages) };
}

function titleOf([first]: readonly ReadPage[]): string[] {
  if (!first) return [];
  const heading = first.elements.find(({ type }) => type === 'heading')?.content;
  const [line] = linesOf(first);
  return wordsOf(`${heading ?? ''} ${line?.text ?? ''}`);
}

function readTable({ content }: PageElement): LabelledTable {
  const [headers = [], ...rows] = cellsOf(content);
  return { headers, rows };
}

/** A row that has a label in its first cell and one value beside it. */
function pairsOfRows(rows: readonly (readonly string[])[]): Omit<Labelled, 'section'>[] {
  return rows.flatMap((cells) => {
    const filled = cells.filter((cell) => cell !== '');
    const [label, value] = filled;
    if (filled.length !== 2 || label === undefined || value === undefined) return filled.flatMap(pairOfLine);
    return isLabel(label) ? [{ label: label.replace(/(?<!\s)\s*:$/, ''), value }] : [];
  });
}

function pairOfLine(line: string): Omit<Labelled, 'section'>[] {
  const text = line.trim().replaceAll(/\s+/g, ' ');
  const match = COLON.exec(text) ?? TRAILING.exec(text.replaceAll(LEADERS, ' ').replaceAll('  ', ' '));
  const [, label, value] = match ?? [];
  if (label === undefined || value === undefined || !isLabel(label)) return [];
  return [{ label: label.trim(), value: value.trim() }];
}

function isLabel(text: string): boolean {
  const count = text.trim().split(/\s+/).length;
  return /\p{L}/u.test(text) && count <= MOST_LABEL_WORDS;
}

function withoutMarker(line: string): string {
  return line.replace(/^\s*(?:[-*+•]|\d+[.)])\s+/, '').trim();
}

/** A line and the element that it is in say the same twice; the first knows more. */
function distinct(pairs: readonly Labelled[]): Labelled[] {
  const seen = new Set<string>();
  return pairs.filter(({ label, value }) => {
    const key = JSON.stringify([wordsOf(label), value.replaceAll(/\s+/g, ' ')]);
    return seen.has(key) ? false : seen.add(key);
  });
}
