import {
  type ElementContent,
  onOneLine,
  plainText,
  validRows,
  withOneHeader,
  type Table,
  type PageBox,
  type PageElement,
} from 'darkroom-reader/document';
import { boxAround } from '../documents/page.ts';
import { markdownOf, tableLines } from '../documents/markdown.ts';

/** Synonyms of label words. */
const FORMS: Readonly<Record<string, string>> = {
  no: 'number',
  nr: 'number',
  num: 'number',
  '#': 'number',
  amt: 'amount',
  qty: 'quantity',
  tel: 'phone',
  telephone: 'phone',
  addr: 'address',
  desc: 'description',
  ref: 'reference',
  dob: 'birth',
  mail: 'email',
};
/** Words that do not distinguish labels. */
const WEAK = new Set(['the', 'of', 'a', 'an', 'and', 'for', 'in', 'to', 'is']);

/** The words of a label or property name in normalised form: `invoiceNo` and `Invoice #` are equal. */
export function wordsOf(text: string): string[] {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/e-mail/gi, 'email')
    .replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}#]+/u)
    .flatMap((word) => (word.length > 1 && word.endsWith('#') ? [word.slice(0, -1), '#'] : [word]))
    .map((word) => FORMS[word] ?? singular(word))
    .filter((word) => word !== '' && !WEAK.has(word));
}

function singular(word: string): string {
  return word.length > 3 && /[^s]s$/.test(word) ? word.slice(0, -1) : word;
}

/** A line of text with its position on the page. */
export interface PageLine {
  text: string;
  /** Of a row of a table. */
  cells?: readonly string[];
  box: PageBox;
}

/** The text recognised on one page or in one image. */
export interface ReadPage {
  /** Numbered from 1. */
  pageNumber: number;
  /** Its structure, in reading order. */
  elements: readonly PageElement[];
  /** Its lines as recognised; absent if only the elements are available. */
  lines?: readonly PageLine[];
}

/** The lines of a page: as recognised, or derived from its elements. */
export function linesOf({ elements, lines }: ReadPage): readonly PageLine[] {
  if (lines) return lines;
  return elements.flatMap(({ box, cellBoxes = [], ...element }) => {
    const texts = textsOf(element);
    const height = box.h / Math.max(1, texts.length);
    // Lines of an element are about equally high.
    const lineBox = (at: number): PageBox => ({ ...box, y: box.y + at * height, h: height });
    return texts.map((text, at) => ({ ...text, box: boxAround(cellBoxes[at] ?? []) ?? lineBox(at) }));
  });
}

function textsOf(element: ElementContent): Omit<PageLine, 'box'>[] {
  if (element.type === 'table') {
    const valid = validRows(element);
    const { header, rows } = tableLines({ rows: valid });
    return [header[0] ?? '', ...rows].map((text, at) => ({ text, cells: valid[at] ?? [] }));
  }
  const lines = plainText(element).split('\n');
  return lines.filter((text) => text.trim() !== '').map((text) => ({ text }));
}

/** The text of a page, in reading order. */
export function textOf({ elements, lines = [] }: ReadPage): string {
  const texts = elements.length > 0 ? elements.map(markdownOf) : lines.map(({ text }) => text);
  return texts.join('\n');
}

/** The cells of a table by row, each on one line, below one header. */
export function cellsOf(table: Pick<Table, 'rows' | 'marks' | 'headerRows'>): string[][] {
  return withOneHeader({ ...table, rows: validRows(table) }).map((row) => row.map(onOneLine));
}
