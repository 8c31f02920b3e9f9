import {
  type ElementContent,
  lengthOf,
  type ListItem,
  type Textual,
  type PageElement,
} from 'darkroom-reader/document';

/** The part of the DOM that the walk uses. */
export interface DomNode {
  nodeType: number;
  nodeName: string;
  textContent: string | null;
  childNodes: Iterable<DomNode>;
  getAttribute?(name: string): string | null;
}

/** Values of `nodeType`. */
export const TEXT = 3;
export const ELEMENT = 1;
/** Never content. Forms are not in the list: some sites wrap the whole page in one. */
const SKIPPED = new Set([
  'SCRIPT',
  'STYLE',
  'NOSCRIPT',
  'TEMPLATE',
  'SVG',
  'MATH',
  'IFRAME',
  'OBJECT',
  'EMBED',
  'CANVAS',
  'VIDEO',
  'AUDIO',
  'HEAD',
  'TITLE',
  'BUTTON',
  'SELECT',
  'TEXTAREA',
  'INPUT',
]);
/** Elements outside the text of an article; its own header is part of it. */
export const ARTICLE_ASIDES: ReadonlySet<string> = new Set(['NAV', 'ASIDE', 'FOOTER']);
/** Elements outside the main text of a page. */
export const PAGE_ASIDES: ReadonlySet<string> = new Set([...ARTICLE_ASIDES, 'HEADER']);
/** Elements that begin and end a line. */
const BLOCKS = new Set([
  'ADDRESS',
  'ARTICLE',
  'ASIDE',
  'BLOCKQUOTE',
  'BODY',
  'CAPTION',
  'DD',
  'DETAILS',
  'DIV',
  'DL',
  'DT',
  'FIELDSET',
  'FIGCAPTION',
  'FIGURE',
  'FOOTER',
  'FORM',
  'HEADER',
  'HR',
  'MAIN',
  'NAV',
  'P',
  'SECTION',
  'SUMMARY',
]);
/** Limits on the stored text of a page; the rest is cut off. */
const MAX_ELEMENTS = 5_000;
const MAX_TEXT = 2_000_000;
const MAX_DEPTH = 400;
const MAX_ROWS = 2_000;
const MAX_COLUMNS = 100;

/**
 * The elements of a page in reading order: headings, paragraphs, lists, tables, code with its line breaks. Figures are left out; they are in the list of images.
 *
 * @param without names of elements that are skipped with their content
 */
export function pageElements(root: DomNode, without: ReadonlySet<string>): PageElement[] {
  const found: ElementContent[] = [];
  let left = MAX_TEXT;
  let line = '';

  function keep(element: ElementContent): void {
    if (left <= 0 || found.length >= MAX_ELEMENTS) return;
    left -= lengthOf(element);
    found.push(element);
  }

  function add(element: Textual): void {
    const content = element.content.slice(0, Math.max(0, left)).toWellFormed();
    if (content !== '') keep({ ...element, content });
  }

  function endLine(): void {
    for (const part of line.split('\n')) add({ type: 'paragraph', content: collapsed(part) });
    line = '';
  }

  function walk(node: DomNode, depth: number): void {
    if (left <= 0 || depth > MAX_DEPTH) return;
    if (node.nodeType === TEXT) line += (node.textContent ?? '').replaceAll(/\s+/g, ' ');
    if (node.nodeType !== ELEMENT || isHidden(node)) return;
    const name = node.nodeName.toUpperCase();
    if (SKIPPED.has(name) || without.has(name)) return;
    const level = /^H([1-6])$/.exec(name)?.[1];
    if (level !== undefined) {
      endLine();
      return add({ type: 'heading', content: textOf(node), level: Number(level) });
    }
    if (name === 'BR') return void (line += '\n');
    if (name === 'UL' || name === 'OL') {
      endLine();
      const items = listItems(node, 0);
      return items.length > 0 ? keep({ type: 'list', items }) : undefined;
    }
    if (name === 'TABLE' && isDataTable(node)) {
      endLine();
      const rows = tableRows(node);
      return rows.length > 0 ? keep({ type: 'table', rows }) : undefined;
    }
    if (name === 'PRE') {
      endLine();
      const code = (node.textContent ?? '').replace(/^\n+/, '').trimEnd();
      return add({ type: 'code', content: code });
    }
    const isBlock = BLOCKS.has(name) || CELLS.has(name) || name === 'TR' || name === 'LI';
    if (isBlock) endLine();
    for (const child of node.childNodes) walk(child, depth + 1);
    if (isBlock) endLine();
  }

  walk(root, 0);
  endLine();
  const share = 1 / Math.max(1, found.length);
  // A web page has no sheet, so the box gives the relative vertical position of an element.
  return found.map((element, at) => ({ ...element, box: { x: 0, y: at * share, w: 1, h: share } }));
}

function isHidden(node: DomNode): boolean {
  const style = node.getAttribute?.('style') ?? '';
  return (
    node.getAttribute?.('hidden') != null ||
    node.getAttribute?.('aria-hidden') === 'true' ||
    /display\s*:\s*none|visibility\s*:\s*hidden/i.test(style)
  );
}

function collapsed(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** The text below a node on one line, without skipped elements. */
function textOf(node: DomNode, depth = 0): string {
  const parts: string[] = [];
  const collect = (each: DomNode, level: number): void => {
    if (level > MAX_DEPTH) return;
    if (each.nodeType === TEXT) parts.push(each.textContent ?? '');
    if (each.nodeType !== ELEMENT || SKIPPED.has(each.nodeName.toUpperCase())) return;
    const apart = BLOCKS.has(each.nodeName.toUpperCase()) || each.nodeName.toUpperCase() === 'BR';
    if (apart) parts.push(' ');
    for (const child of each.childNodes) collect(child, level + 1);
    if (apart) parts.push(' ');
  };
  collect(node, depth);
  return collapsed(parts.join(''));
}

const MAX_LIST_DEPTH = 20;

function listItems(list: DomNode, depth: number): ListItem[] {
  const ordered = list.nodeName.toUpperCase() === 'OL';
  const items: ListItem[] = [];
  let number = 0;
  for (const item of list.childNodes) {
    if (item.nodeType !== ELEMENT) continue;
    const nested: ListItem[] = [];
    const own: string[] = [];
    for (const child of item.nodeName.toUpperCase() === 'LI' ? item.childNodes : [item]) {
      const isList = /^[UO]L$/i.test(child.nodeName);
      if (isList && depth < MAX_LIST_DEPTH) nested.push(...listItems(child, depth + 1));
      else own.push(textOf(child));
    }
    const text = collapsed(own.join(' '));
    number += 1;
    if (text !== '') items.push({ marker: ordered ? `${number}.` : '-', text, depth });
    items.push(...nested);
  }
  return items;
}

const CELLS = new Set(['TD', 'TH']);

/** Rows of the table itself, not of nested tables. */
function* rowsOf(table: DomNode): Generator<DomNode> {
  for (const child of table.childNodes) {
    const name = child.nodeName.toUpperCase();
    if (name === 'TR') yield child;
    else if (name === 'THEAD' || name === 'TBODY' || name === 'TFOOT') yield* rowsOf(child);
  }
}

function cellsOf(row: DomNode): DomNode[] {
  return [...row.childNodes].filter(({ nodeName }) => CELLS.has(nodeName.toUpperCase()));
}

/** False for layout tables, whose cells are read as blocks of text. */
function isDataTable(table: DomNode): boolean {
  if (/^(presentation|none)$/i.test(table.getAttribute?.('role') ?? '')) return false;
  const [first] = rowsOf(table);
  const wide = first !== undefined && cellsOf(first).length > 1;
  return wide && !hasTable(table, 0);
}

function hasTable(node: DomNode, depth: number): boolean {
  if (depth > MAX_DEPTH) return false;
  return [...node.childNodes].some(
    (child) => child.nodeName.toUpperCase() === 'TABLE' || hasTable(child, depth + 1),
  );
}

function tableRows(table: DomNode): string[][] {
  const rows: string[][] = [];
  for (const row of rowsOf(table)) {
    if (rows.length === MAX_ROWS) break;
    const cells = cellsOf(row)
      .slice(0, MAX_COLUMNS)
      .map((cell) => textOf(cell));
    if (cells.some((cell) => cell !== '')) rows.push(cells);
  }
  return rows;
}
