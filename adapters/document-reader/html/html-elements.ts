/** The elements of an HTML page, whole and in the order of its body. */
import type { ElementType } from '../../../domain/documents/page.ts';
import { CellCount, tableElement } from '../flow/grid.ts';
import { type FlowElement, joinPairs } from '../flow/paginate.ts';
import { cleanText } from '../layout/plain-text.ts';
import { childrenOf, descendants, type MarkupElement } from '../markup/parse-markup.ts';

/** Never shown as text. */
const SKIPPED = new Set(
  `annotation annotation-xml audio button canvas embed head iframe input noscript object rp script select style
  svg template textarea title video`.split(/\s+/),
);
/** Elements that begin and end a line. */
const BLOCKS = new Set(
  `address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure footer
  form header hgroup hr legend li main nav ol p section summary table tbody td tfoot th thead tr ul`.split(
    /\s+/,
  ),
);
/** Elements that no item of a list can hold on one line. */
const NOT_IN_ITEM = new Set(['pre', 'table', 'figure', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6']);
const HIDDEN = /display\s*:\s*none|visibility\s*:\s*hidden/i;
/** The limits of browsers. */
const MAX_COLUMN_SPAN = 1_000;
const MAX_ROW_SPAN = 65_534;

/** @throws UnreadableDocument for too many cells */
export function htmlElements(root: MarkupElement): FlowElement[] {
  const found: FlowElement[] = [];
  const cells = new CellCount();
  let line = '';

  function add(type: ElementType, content: string, metadata: FlowElement['metadata'] = {}): void {
    const text = cleanText(content);
    if (text.trim() !== '') found.push({ type, content: text, metadata });
  }

  function endLine(): void {
    add('paragraph', linesOf(line));
    line = '';
  }

  function walk(node: MarkupElement | string): void {
    if (typeof node === 'string') return void (line += node.replaceAll(/\s+/g, ' '));
    const { name } = node;
    if (isSkipped(node)) return;
    if (name === 'br') return void (line += '\n');
    if (name === 'img') return addImage(node);
    const heading = /^h([1-6])$/.exec(name)?.[1];
    if (heading !== undefined) {
      endLine();
      return add('heading', oneLine(node), { level: Number(heading) });
    }
    if (name === 'pre') {
      endLine();
      return add('code', codeOf(node).replace(/^\n+/, '').trimEnd());
    }
    if (name === 'ul' || name === 'ol') {
      endLine();
      return addList(node);
    }
    if (name === 'table' && isData(node)) {
      endLine();
      return addTable(node);
    }
    const isBlock = BLOCKS.has(name);
    if (isBlock) endLine();
    for (const child of node.children) walk(child);
    if (isBlock) endLine();
  }

  /** An image that begins a line is a figure; within a line, its text is part of it. */
  function addImage({ attributes }: MarkupElement): void {
    const text = attributes['alt']?.replaceAll(/\s+/g, ' ').trim() ?? '';
    if (text === '') return;
    if (line.trim() === '') add('figure', text);
    else line += ` ${text} `;
  }

  function addList(list: MarkupElement): void {
    let lines: string[] = [];
    const endList = (): void => {
      const items = lines.filter((item) => !item.startsWith('  ')).length;
      if (lines.length > 0) add('list', lines.join('\n'), { items });
      lines = [];
    };
    for (const { item, sign } of itemsOf(list)) {
      if (![...NOT_IN_ITEM].some((name) => !descendants(item, name).next().done)) {
        lines.push(...itemLines(item, sign, 0));
        continue;
      }
      endList();
      if (sign !== '-') line += `${sign} `;
      for (const child of item.children) walk(child);
      endLine();
    }
    endList();
  }

  function addTable(table: MarkupElement): void {
    for (const caption of childrenOf(table, 'caption')) add('paragraph', oneLine(caption));
    const element = tableElement(gridOf(table, cells));
    if (element) found.push({ ...element, content: cleanText(element.content) });
  }

  walk(root);
  endLine();
  return joinPairs(found);
}

function isSkipped({ name, attributes }: MarkupElement): boolean {
  return (
    SKIPPED.has(name) ||
    attributes['hidden'] !== undefined ||
    attributes['aria-hidden'] === 'true' ||
    HIDDEN.test(attributes['style'] ?? '')
  );
}

/** Lines without the white space around each, and without empty ones. */
function linesOf(text: string): string {
  return text
    .split('\n')
    .map((part) => part.replaceAll(/\s+/g, ' ').trim())
    .filter((part) => part !== '')
    .join('\n');
}

/** The shown text below an element; blocks and breaks part words. */
function inlineText(node: MarkupElement): string {
  return node.children
    .map((child) => {
      if (typeof child === 'string') return child.replaceAll(/\s+/g, ' ');
      if (child.name === 'br') return '\n';
      if (child.name === 'img') return ` ${child.attributes['alt'] ?? ''} `;
      if (isSkipped(child)) return '';
      return BLOCKS.has(child.name) ? `\n${inlineText(child)}\n` : inlineText(child);
    })
    .join('');
}

const oneLine = (node: MarkupElement): string => inlineText(node).replaceAll(/\s+/g, ' ').trim();

/** Text with its own line ends and spaces. */
function codeOf(node: MarkupElement): string {
  return node.children
    .map((child) => {
      if (typeof child === 'string') return child;
      return child.name === 'br' ? '\n' : isSkipped(child) ? '' : codeOf(child);
    })
    .join('');
}

/** The items of a list with their signs; other content of a list is an item of its own, as browsers show it. */
function itemsOf(list: MarkupElement): { item: MarkupElement; sign: string }[] {
  let number = Number.parseInt(list.attributes['start'] ?? '', 10);
  if (!Number.isSafeInteger(number)) number = 1;
  return childrenOf(list)
    .filter((child) => !isSkipped(child))
    .map((child) => {
      const own = Number.parseInt(child.attributes['value'] ?? '', 10);
      if (Number.isSafeInteger(own)) number = own;
      const sign = list.name === 'ol' ? `${number}.` : '-';
      number += 1;
      return { item: child.name === 'li' ? child : { name: 'li', attributes: {}, children: [child] }, sign };
    });
}

/** An item on one line, and the items of the lists in it below. */
function itemLines(item: MarkupElement, sign: string, depth: number): string[] {
  const own: MarkupElement['children'] = [];
  const nested: string[] = [];
  for (const child of item.children) {
    if (typeof child !== 'string' && (child.name === 'ul' || child.name === 'ol') && !isSkipped(child))
      nested.push(...itemsOf(child).flatMap((inner) => itemLines(inner.item, inner.sign, depth + 1)));
    else own.push(child);
  }
  const text = oneLine({ ...item, children: own });
  return [...(text === '' ? [] : [`${'  '.repeat(depth)}${sign} ${text}`]), ...nested];
}

/** Rows of the table itself, not of tables in it. */
function rowsOf(table: MarkupElement): MarkupElement[] {
  return childrenOf(table).flatMap((child) => {
    if (child.name === 'tr') return [child];
    return /^t(?:head|body|foot)$/.test(child.name) ? rowsOf(child) : [];
  });
}

const cellsOf = (row: MarkupElement): MarkupElement[] =>
  childrenOf(row).filter(({ name }) => name === 'td' || name === 'th');

/** Whether it has rows and columns, and is not there to place other tables and blocks. */
function isData(table: MarkupElement): boolean {
  const role = table.attributes['role'];
  if (role === 'presentation' || role === 'none') return false;
  const rows = rowsOf(table);
  return (
    rows.some((row) => cellsOf(row).length > 1) &&
    !rows.some((row) =>
      cellsOf(row).some((cell) =>
        ['table', 'pre', 'h1', 'h2', 'h3'].some((name) => !descendants(cell, name).next().done),
      ),
    )
  );
}

/** The rows of a table; a cell that covers several repeats its text in each. */
function gridOf(table: MarkupElement, count: CellCount): string[][] {
  const rows = rowsOf(table).filter((row) => !isSkipped(row));
  const grid: string[][] = rows.map(() => []);
  for (const [at, row] of rows.entries()) {
    let column = 0;
    for (const cell of cellsOf(row)) {
      const text = linesOf(inlineText(cell));
      const across = span(cell.attributes['colspan'], MAX_COLUMN_SPAN);
      const down = Math.min(span(cell.attributes['rowspan'], MAX_ROW_SPAN), rows.length - at);
      while (grid[at]?.[column] !== undefined) column += 1;
      for (let y = at; y < at + down; y++) {
        for (let x = column; x < column + across; x++) {
          count.add(text);
          const target = grid[y] ?? [];
          target[x] ??= text;
        }
      }
      column += across;
    }
  }
  return grid.map((row) => Array.from(row, (cell: string | undefined) => cell ?? ''));
}

function span(text: string | undefined, most: number): number {
  const value = Number.parseInt(text ?? '', 10);
  return value >= 1 ? Math.min(value, most) : 1;
}
