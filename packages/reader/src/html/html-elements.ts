/** The elements of an HTML page, in the order of its body. The file is long because lists, tables and lines hold each other. */
import { columnsOf, lengthOf, type ListItem, marksWithin, part, type Textual } from '../document/element.ts';
import { CellCount, tableOfCells } from '../flow/grid.ts';
import { numeral } from '../flow/numeral.ts';
import { type FlowElement, joinPairs } from '../flow/paginate.ts';
import { InlineMarks, type Signs, UNMARKED } from '../inline/inline-marks.ts';
import { lowered, raised } from '../inline/raised.ts';
import { cleanText } from '../layout/plain-text.ts';
import { childrenOf, holdersOf, type MarkupElement } from '../markup/parse-markup.ts';
import { mathText, withFormula } from './math-text.ts';

/** Never shown as text. */
const SKIPPED = new Set(
  `audio button canvas datalist embed head iframe noscript object rp script style svg template title
  video`.split(/\s+/),
);
/** Elements that begin and end a line. */
const BLOCKS = new Set(
  `address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure footer
  form header hgroup hr legend li main menu nav ol p section summary table tbody td tfoot th thead tr ul`.split(
    /\s+/,
  ),
);
/** Elements that no item of a list can hold on one line. */
const NOT_IN_ITEM = new Set(['pre', 'table', 'figure', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6']);
/** Elements that no cell of a table with data holds. */
const NOT_IN_CELL = new Set(['table', 'h1', 'h2', 'h3']);
const CODE = new Set(['pre']);
const LISTS = new Set(['ul', 'ol', 'menu']);
const FIELDS = new Set(['input', 'textarea', 'select']);
const CELLS = new Set(['td', 'th']);
const GROUPS = new Set(['thead', 'tbody', 'tfoot']);
const ROWS_AND_CELLS = new Set(['tr', ...GROUPS, ...CELLS]);
const STRUCK = new Set(['s', 'strike', 'del']);
const QUOTES: Signs = { begin: '“', end: '”' };
const STRUCK_STYLE = /text-decoration[\w-]*\s*:[^;]*line-through/i;
const HEIGHT_STYLE = /vertical-align\s*:\s*(super|sub)\b/i;
/** Fields of a form that show no value. */
const NO_VALUE = new Set('hidden password submit button reset image file color range'.split(' '));
/** Boxes that nothing stands beside are parts of menus. */
const BOXES_ALONE = /^[☒☐\s]*$/;
const withoutBoxes = (text: string): string => text.replaceAll(/[☒☐] ?/g, '').trim();
const HIDDEN = /display\s*:\s*none|visibility\s*:\s*hidden/i;

/** How much of a page is kept; the rest is cut off. */
export interface Extent {
  elements: number;
  /** Of their Markdown, but for the signs of the last row or item. */
  characters: number;
  /** Of each table. */
  rows: number;
  columns: number;
}

/**
 * @param most by default, a page is read whole
 * @param base address of a page of a site, for its links; what its fields show belongs to the site, not to what is read
 * @throws UnreadableDocument for too many cells of a page that is read whole
 */
export function htmlElements(root: MarkupElement, most?: Extent, base?: string): FlowElement[] {
  const found: FlowElement[] = [];
  const cells = most ? undefined : new CellCount();
  let room = most?.characters ?? Infinity;
  const blocked = holdersOf(root, NOT_IN_ITEM);
  const placing = holdersOf(root, NOT_IN_CELL);
  const coding = holdersOf(root, CODE);
  const tabular = holdersOf(root, ROWS_AND_CELLS);
  const marks = new InlineMarks(base);
  const fieldText = (field: MarkupElement) => (base === undefined ? enteredIn(field) : '');
  let line = '';
  /** Tables in the cells of the one that is read, which follow it. */
  let inner: MarkupElement[] | undefined;

  function keep(given: FlowElement): void {
    if (room <= 0) return;
    const element = marks.separate(given);
    if ('content' in element && element.content.trim() === '') return;
    const length = lengthOf(element);
    found.push(length > room ? beginningOf(element, room) : element);
    // Negative after an element that is cut, so that nothing follows.
    room = found.length === most?.elements ? 0 : room - length;
  }

  function add(element: Textual): void {
    const content = cleanText(element.content);
    if (content.trim() !== '') keep({ ...element, content });
  }

  function endLine(): void {
    if (!BOXES_ALONE.test(line)) add({ type: 'paragraph', content: linesOf(line) });
    line = '';
  }

  function walk(node: MarkupElement | string): void {
    if (room <= 0) return;
    if (typeof node === 'string') return void (line += withoutBreaks(node));
    const { name } = node;
    if (isSkipped(node)) return;
    if (name === 'br') return void (line += '\n');
    if (name === 'img') return addImage(node);
    if (name === 'math') return void (line = withFormula(line, mathText(node)));
    if (name === 'ruby') return void (line += rubyText(node));
    if (FIELDS.has(name)) return void (line += fieldText(node));
    const heading = /^h([1-6])$/.exec(name)?.[1];
    if (heading !== undefined) {
      endLine();
      return add({ type: 'heading', content: withoutBoxes(oneLine(node)), level: Number(heading) });
    }
    if (name === 'pre') {
      endLine();
      return add({ type: 'code', content: codeOf(node).replace(/^\n+/, '').trimEnd() });
    }
    if (LISTS.has(name)) {
      endLine();
      return addList(node);
    }
    const table = name === 'table' && !isPlacing(node) ? partsOf(node, tabular) : undefined;
    if (table && isData(table.rows, placing, coding)) {
      endLine();
      return addTable(table);
    }
    if (heightOf(node)) return void (line += inlineText({ children: [node] }, line));
    const isBlock = BLOCKS.has(name);
    if (isBlock) endLine();
    const { begin, end } = signsOf(node);
    line += begin;
    for (const child of node.children) walk(child);
    line += end;
    if (isBlock) endLine();
  }

  function signsOf({ name, attributes }: MarkupElement): Signs {
    if (name === 'a') return marks.link(attributes['href'] ?? '');
    if (name === 'q') return QUOTES;
    return STRUCK.has(name) || STRUCK_STYLE.test(attributes['style'] ?? '') ? marks.struck : UNMARKED;
  }

  /** The shown text below an element; blocks and breaks part words. @param before the text that it follows */
  function inlineText(node: Pick<MarkupElement, 'children'>, before = ''): string {
    return node.children.reduce((text: string, child) => {
      if (typeof child === 'string') return text + withoutBreaks(child);
      if (child.name === 'br') return `${text}\n`;
      if (isSkipped(child)) return text;
      if (child.name === 'img') return `${text} ${child.attributes['alt'] ?? ''} `;
      if (child.name === 'table' && inner) return (inner.push(child), text);
      if (child.name === 'math') return withFormula(text, mathText(child));
      if (child.name === 'ruby') return text + rubyText(child);
      if (FIELDS.has(child.name)) return text + fieldText(child);
      if (CODE.has(child.name)) return `${text}\n${codeOf(child)}\n`;
      const { begin, end } = signsOf(child);
      const own = `${begin}${inlineText(child)}${end}`;
      if (BLOCKS.has(child.name)) return `${text}\n${own}\n`;
      const height = heightOf(child);
      if (height === 'super') return text + raised(own);
      return text + (height === 'sub' ? lowered(own, (before + text).slice(-2)) : own);
    }, '');
  }

  /** Words, then how they are pronounced: characters with a reading each are one word. */
  function rubyText(ruby: MarkupElement): string {
    const isReading = (child: MarkupElement | string) =>
      typeof child !== 'string' && /^r(?:t|tc)$/.test(child.name);
    const [words, reading] = [false, true].map((wanted) =>
      inlineText({ children: ruby.children.filter((child) => isReading(child) === wanted) }).trim(),
    );
    return reading ? `${words}(${reading})` : `${words}`;
  }

  const oneLine = (node: Pick<MarkupElement, 'children'>): string =>
    inlineText(node).replaceAll(/\s+/g, ' ').trim();

  /** An item, and the items of the lists in it below. */
  function listItems(item: Item['item'], marker: string, depth: number): ListItem[] {
    const isList = (child: MarkupElement | string): child is MarkupElement =>
      typeof child !== 'string' && LISTS.has(child.name) && !isSkipped(child);
    const text = cleanText(oneLine({ children: item.filter((child) => !isList(child)) })).trim();
    return [
      ...(text === '' ? [] : [{ marker, text, depth }]),
      ...item
        .filter(isList)
        .flatMap((list) => itemsOf(list).flatMap((inner) => listItems(inner.item, inner.sign, depth + 1))),
    ];
  }

  /** An image that begins a line is a figure; within a line, its text is part of it. */
  function addImage({ attributes }: MarkupElement): void {
    const text = attributes['alt']?.replaceAll(/\s+/g, ' ').trim() ?? '';
    if (text === '') return;
    if (line.trim() === '') add({ type: 'figure', content: text });
    else line += ` ${text} `;
  }

  function addList(list: MarkupElement): void {
    let items: ListItem[] = [];
    const endList = (): void => {
      if (items.length > 0) keep({ type: 'list', items });
      items = [];
    };
    for (const { item, sign } of itemsOf(list)) {
      if (
        !item.some((each) => typeof each !== 'string' && (NOT_IN_ITEM.has(each.name) || blocked.has(each)))
      ) {
        for (const each of listItems(item, sign, 0)) items.push(each);
        continue;
      }
      endList();
      if (sign !== '-') line += `${sign} `;
      for (const child of item) walk(child);
      endLine();
    }
    endList();
  }

  function addTable({ rows, ends, headerRows, others }: TableParts): void {
    for (const other of others) walk(other);
    endLine();
    inner = [];
    const spanning = rows.slice(0, most?.rows).map((row, at) =>
      row.slice(0, most?.columns).map((cell) => ({
        text: cleanText(linesOf(inlineText(cell))).trim(),
        // No further than the rows that belong together, and as far for 0.
        rows: Math.min(span(cell.attributes['rowspan']) || Infinity, (ends[at] ?? Infinity) - at),
        columns: span(cell.attributes['colspan']),
      })),
    );
    const options = { headerRows, ...(most && { mostColumns: most.columns }) };
    const following = inner;
    inner = undefined;
    for (const table of tableOfCells(spanning, cells, options)) keep(table);
    for (const table of following) walk(table);
  }

  walk(root);
  endLine();
  return joinPairs(found);
}

/** What an element says in a number of characters that is less than its length. */
function beginningOf(element: FlowElement, characters: number): FlowElement {
  let room = characters;
  /** The beginning of a text, which takes a length with the signs around it. */
  const take = (text: string, length = text.length): string => {
    const taken = text.slice(0, Math.max(0, room)).toWellFormed();
    room -= length;
    return taken;
  };
  switch (element.type) {
    case 'list': {
      const items = element.items.flatMap((item) =>
        room > 0
          ? [beginningOfItem(item, take(item.text, lengthOf({ type: 'list', items: [item] }) + 1))]
          : [],
      );
      return { ...element, items };
    }
    case 'table': {
      const signs = 3 * columnsOf(element) + 2;
      const rows = element.rows.flatMap((row) => {
        if (room <= 0) return [];
        room -= signs;
        return [row.map((cell) => take(cell))];
      });
      return { type: 'table', rows };
    }
    case 'key_value':
      return element;
    default:
      return part(element, 0, take(element.content).length);
  }
}

function beginningOfItem(item: ListItem, text: string): ListItem {
  return { ...item, text, ...(item.marks && { marks: marksWithin(item.marks, 0, text.length) }) };
}

function isSkipped({ name, attributes }: MarkupElement): boolean {
  return (
    SKIPPED.has(name) ||
    attributes['hidden'] !== undefined ||
    (name === 'dialog' && attributes['open'] === undefined) ||
    // A formula may be a picture with its text, beside MathML for screen readers that is not displayed.
    (attributes['aria-hidden'] === 'true' && name !== 'img') ||
    HIDDEN.test(attributes['style'] ?? '')
  );
}

/** What somebody has entered in a field of a form, or chosen from it. */
function enteredIn(field: MarkupElement): string {
  const { name, attributes } = field;
  const { value = '' } = attributes;
  const type = (attributes['type'] ?? 'text').trim().toLowerCase();
  if (name === 'textarea') return ` ${codeOf(field)} `;
  if (name === 'select') return chosenIn(field);
  if (/^(?:checkbox|radio)$/.test(type)) return attributes['checked'] === undefined ? ' ☐ ' : ' ☒ ';
  return NO_VALUE.has(type) ? '' : ` ${value} `;
}

/** What is selected, or the first that can be where one is always shown; one without a value is a prompt. */
function chosenIn(field: MarkupElement): string {
  const options = optionsOf(field);
  const selected = options.filter(({ attributes }) => attributes['selected'] !== undefined);
  const { multiple, size = '' } = field.attributes;
  const isOne = multiple === undefined && !(Number.parseInt(size, 10) > 1);
  const first = isOne ? options.find(({ attributes }) => attributes['disabled'] === undefined) : undefined;
  return (selected.length > 0 || !first ? selected : [first])
    .map((option) => (option.attributes['value'] === '' ? '' : ` ${codeOf(option)} `))
    .join('');
}

const optionsOf = (node: MarkupElement): MarkupElement[] =>
  childrenOf(node).flatMap((child) => (child.name === 'option' ? [child] : optionsOf(child)));

/** Text of one line, without the places where it could be divided. */
const withoutBreaks = (text: string): string => text.replaceAll('\u00AD', '').replaceAll(/\s+/g, ' ');

/** Lines without the white space around each, and without empty ones. */
function linesOf(text: string): string {
  return text
    .split('\n')
    .map((part) => part.replaceAll(/\s+/g, ' ').trim())
    .filter((part) => part !== '')
    .join('\n');
}

/** Whether text is raised or lowered. */
function heightOf({ name, attributes }: MarkupElement): 'super' | 'sub' | undefined {
  if (name === 'sup') return 'super';
  if (name === 'sub') return 'sub';
  return HEIGHT_STYLE.exec(attributes['style'] ?? '')?.[1]?.toLowerCase() as 'super' | 'sub' | undefined;
}

/** Text with its own line ends and spaces. */
function codeOf(node: MarkupElement): string {
  return node.children
    .map((child) => {
      if (typeof child === 'string') return child;
      return child.name === 'br' ? '\n' : isSkipped(child) ? '' : codeOf(child);
    })
    .join('');
}

/** The content of an item of a list, with its sign. */
interface Item {
  item: MarkupElement['children'];
  sign: string;
}

/** Formats of numbers, by `type` of a list or by its style. */
const FORMATS = new Map([
  ['1', 'decimal'],
  ['a', 'lowerLetter'],
  ['lower-alpha', 'lowerLetter'],
  ['lower-latin', 'lowerLetter'],
  ['A', 'upperLetter'],
  ['upper-alpha', 'upperLetter'],
  ['upper-latin', 'upperLetter'],
  ['i', 'lowerRoman'],
  ['lower-roman', 'lowerRoman'],
  ['I', 'upperRoman'],
  ['upper-roman', 'upperRoman'],
  ['decimal-leading-zero', 'decimalZero'],
  ['cjk-decimal', 'ideographDigital'],
  ['cjk-ideographic', 'chineseCounting'],
  ['simp-chinese-informal', 'chineseCounting'],
  ['trad-chinese-informal', 'chineseCounting'],
  ['japanese-informal', 'chineseCounting'],
  ['cjk-heavenly-stem', 'ideographTraditional'],
  ['katakana-iroha', 'iroha'],
]);
const NUMBER_STYLE = /list-style(?:-type)?\s*:[^;]*?\b([a-z]+(?:-[a-z]+)+)/i;

function formatOf({ attributes: { type = '', style = '' } }: MarkupElement): string | undefined {
  return FORMATS.get(NUMBER_STYLE.exec(style)?.[1]?.toLowerCase() ?? type);
}

/** The items of a list; other content of it is an item without a number, as browsers show it. */
function itemsOf(list: MarkupElement): Item[] {
  const down = list.attributes['reversed'] !== undefined;
  const count = list.children.filter((child) => typeof child !== 'string' && child.name === 'li').length;
  let number = Number.parseInt(list.attributes['start'] ?? '', 10);
  if (!Number.isSafeInteger(number)) number = down ? count : 1;
  return list.children
    .filter((child) => (typeof child === 'string' ? child.trim() !== '' : !isSkipped(child)))
    .map((child) => {
      if (typeof child === 'string' || child.name !== 'li') return { item: [child], sign: '-' };
      const own = Number.parseInt(child.attributes['value'] ?? '', 10);
      if (Number.isSafeInteger(own)) number = own;
      const format = formatOf(child) ?? formatOf(list) ?? 'decimal';
      const sign = list.name === 'ol' ? `${numeral(number, format)}.` : '-';
      number += down ? -1 : 1;
      return { item: child.children, sign };
    });
}

interface TableParts {
  /** The cells of each row, those of the first `tfoot` last. */
  rows: MarkupElement[][];
  /** The end of the rows that belong together, such as those of a `tbody`, for each row. */
  ends: number[];
  /** Rows in `thead`, or of nothing but `th`, before all others. */
  headerRows: number;
  /** Captions, and what is in no cell; browsers show it above the table. */
  others: MarkupElement['children'];
}

/** The parts of the table itself, not of tables in it. @param tabular the elements with rows or cells below them */
function partsOf(table: MarkupElement, tabular: ReadonlySet<MarkupElement>): TableParts {
  const groups: { name: string; rows: MarkupElement[][] }[] = [];
  const others: TableParts['others'] = [];
  /** The row that is open; cells outside any row are one of their own. */
  let row: MarkupElement[] | undefined;
  let group: MarkupElement[][] = [];
  const open = (name: string): void => {
    group = [];
    groups.push({ name, rows: group });
    row = undefined;
  };
  const visit = (parent: MarkupElement): void => {
    for (const child of parent.children) {
      if (typeof child === 'string') {
        others.push(child);
      } else if (isSkipped(child)) {
        continue;
      } else if (CELLS.has(child.name)) {
        if (!row) group.push((row = []));
        row.push(child);
      } else if (child.name === 'tr') {
        group.push((row = []));
        visit(child);
        row = undefined;
      } else if (child.name !== 'table' && child.name !== 'caption' && tabular.has(child)) {
        const isGroup = GROUPS.has(child.name);
        if (isGroup) open(child.name);
        visit(child);
        if (isGroup) open(table.name);
      } else {
        others.push(child);
      }
    }
  };
  open(table.name);
  visit(table);
  const foot = groups.find(({ name }) => name === 'tfoot');
  const shown = foot ? [...groups.filter((each) => each !== foot), foot] : groups;
  const rows = shown.flatMap((each) => each.rows);
  let end = 0;
  const ends = shown.flatMap((each) => {
    end += each.rows.length;
    return each.rows.map(() => end);
  });
  const head = shown.findIndex(({ name }) => name === 'thead');
  const inHead = shown.slice(0, head + 1).reduce((sum, each) => sum + each.rows.length, 0);
  const body = rows.findIndex((cells) => cells.some(({ name }) => name !== 'th'));
  return { rows, ends, headerRows: Math.max(inHead, body), others };
}

/** Whether it says that it is there to place other content. */
function isPlacing({ attributes: { role } }: MarkupElement): boolean {
  return role === 'presentation' || role === 'none';
}

/**
 * Whether they have columns, and do not place other tables and blocks, or code beside the numbers of its lines. Where cells
 * are headers, and are not themselves what places others, the table has data and tables in it.
 *
 * @param placing the elements with such tables and blocks below them
 * @param coding  those with code below them
 */
function isData(
  rows: readonly MarkupElement[][],
  placing: ReadonlySet<MarkupElement>,
  coding: ReadonlySet<MarkupElement>,
): boolean {
  const some = (found: ReadonlySet<MarkupElement>) => rows.some((row) => row.some((cell) => found.has(cell)));
  const isHeader = (cell: MarkupElement): boolean =>
    cell.name === 'th' && !placing.has(cell) && hasText(cell);
  const isLabelled = rows.some((row) => row.some(isHeader));
  const isPlaced = some(placing) && !isLabelled;
  return rows.some((row) => row.length > 1) && !isPlaced && !(rows.length === 1 && some(coding));
}

const hasText = (node: MarkupElement | string): boolean =>
  typeof node === 'string' ? node.trim() !== '' : node.children.some(hasText);

/** How many rows or columns a cell covers; 0 rows are all that follow. */
const span = (text = ''): number => {
  const written = Number.parseInt(text, 10);
  return written >= 0 ? written : 1;
};
