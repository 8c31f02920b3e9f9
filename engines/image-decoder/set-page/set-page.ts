import type { ElementContent, ListItem, Table } from 'darkroom-reader/document';
import { hasUnknownLetters, openFonts } from './fonts.ts';
import {
  BODY,
  escaped,
  GAP,
  LINE,
  MARGIN,
  points,
  Sheet,
  SHEET,
  type SetPage,
  type SheetSize,
} from './sheet.ts';

export type { SetPage, SheetSize } from './sheet.ts';

const CELL = { padding: 5, line: LINE, most: 8 };
const HEADINGS = [26, 21, 18, 16, 14];
const RULE = 0xcc;
const BAND = 0xf1;

/** A longer text is set in pieces, of which those below the sheet are not set at all. */
const PIECE = 2_000;
/** What even an empty line counts. */
const LEAST_LINE = 30;
const MOST_LINES = 60;
const MOST_ROWS = 120;
const LONGEST_CELL = 80;

/**
 * Sets a page of a document without a layout: its headings, texts, lists and tables, not the design of its maker. What is
 * below the sheet is left out, which a line at its end says, as it does of letters that no font here has.
 */
export async function setPage(elements: readonly ElementContent[], size: SheetSize): Promise<SetPage> {
  const sheet = new Sheet(size);
  let unknown = false;
  for (const block of blocksOf(elements)) {
    if (sheet.isFull) break;
    const text = block.kind === 'table' ? block.rows.flat().join(' ') : block.markup;
    unknown ||= hasUnknownLetters(text);
    await openFonts(text);
    await (block.kind === 'table' ? setTable(sheet, block) : sheet.text(block.markup));
  }
  if (unknown) await sheet.note('Some letters are not shown: there is no font for their script.');
  else if (sheet.isFull) await sheet.note('…');
  return sheet.encode();
}

type Block = { kind: 'text'; markup: string } | { kind: 'table'; rows: string[][]; headerRows: number };

/** Texts that follow each other are set together, which takes a fraction of the time. */
function* blocksOf(elements: readonly ElementContent[]): Generator<Block> {
  let pending: string[] = [];
  let characters = 0;
  const taken = (): Block[] => {
    const markup = pending.join(`\n<span size="${points(GAP - 4)}">\n</span>`);
    [pending, characters] = [[], 0];
    return markup === '' ? [] : [{ kind: 'text', markup }];
  };
  for (const element of elements) {
    if (element.type === 'table') {
      yield* taken();
      yield { kind: 'table', rows: shownCells(element), headerRows: element.headerRows ?? 1 };
      continue;
    }
    for (const { markup, length, lines } of piecesOf(element)) {
      pending.push(markup);
      characters += length + lines * LEAST_LINE;
      if (characters >= PIECE) yield* taken();
    }
  }
  yield* taken();
}

interface Piece {
  markup: string;
  length: number;
  lines: number;
}

function* piecesOf(element: Exclude<ElementContent, Table>): Generator<Piece> {
  switch (element.type) {
    case 'heading': {
      const size = HEADINGS[Math.min(element.level, HEADINGS.length) - 1] ?? BODY;
      for (const text of cut(element.content)) yield styled(text, `size="${points(size)}" weight="bold"`);
      return;
    }
    case 'list': {
      for (const items of groups(element.items)) {
        const lines = items.map(({ marker, text, depth, checked }) => {
          const box = checked === undefined ? '' : checked ? '[x] ' : '[ ] ';
          const bullet = marker === '-' ? '•' : marker;
          return `${'    '.repeat(Math.min(depth, 8) + 1)}${bullet} ${box}${text.slice(0, PIECE)}`;
        });
        yield styled(lines.join('\n'));
      }
      return;
    }
    case 'key_value': {
      const [key, value] = [element.key.slice(0, PIECE), element.value.slice(0, PIECE)];
      const { length, lines } = styled(`${key}${value}`);
      yield { markup: `<b>${escaped(key)}:</b> ${escaped(value)}`, length, lines };
      return;
    }
    case 'figure':
      for (const text of cut(element.content)) yield styled(text, 'alpha="60%"');
      return;
    default: {
      const isAside = element.role !== undefined;
      for (const text of cut(element.content))
        yield styled(text, isAside ? `size="${points(11)}" alpha="70%"` : '');
    }
  }
}

function* groups(items: readonly ListItem[]): Generator<ListItem[]> {
  let group: ListItem[] = [];
  let characters = 0;
  for (const item of items) {
    group.push(item);
    characters += item.text.length + LEAST_LINE;
    if (characters < PIECE) continue;
    yield group;
    [group, characters] = [[], 0];
  }
  if (group.length > 0) yield group;
}

/** A text in pieces of bounded length and lines. */
function* cut(text: string): Generator<string> {
  for (let from = 0; from < text.length; from += PIECE) {
    const lines = text.slice(from, from + PIECE).split('\n');
    for (let line = 0; line < lines.length; line += MOST_LINES)
      yield lines.slice(line, line + MOST_LINES).join('\n');
  }
}

function styled(text: string, style = ''): Piece {
  const markup = escaped(text);
  return {
    markup: style === '' ? markup : `<span ${style}>${markup}</span>`,
    length: text.length,
    lines: text.split('\n').length,
  };
}

/** Letters are cut to what is inked: a faint bar keeps all columns at the same height. */
const ANCHOR = '<span alpha="1%">|</span>';

/** Rows are of one line, and cells are cut to their column: a sheet shows what a table is about. */
const shownCells = ({ rows }: Table): string[][] =>
  rows
    .slice(0, MOST_ROWS)
    .map((row) =>
      row.slice(0, CELL.most).map((cell) => cell.slice(0, LONGEST_CELL).replaceAll(/\s+/g, ' ').trim()),
    );

async function setTable(
  sheet: Sheet,
  { rows, headerRows }: { rows: string[][]; headerRows: number },
): Promise<void> {
  const shown = rows.slice(0, sheet.linesLeft);
  const columns = shown.reduce((most, row) => Math.max(most, row.length), 0);
  if (columns === 0) return;
  const texts = Array.from({ length: columns }, (_, column) => shown.map((row) => row[column] ?? ''));
  const wanted = texts.map((column) => Math.min(30, Math.max(4, ...column.map(({ length }) => length))));
  const all = wanted.reduce((sum, width) => sum + width, 0);
  const total = SHEET - 2 * MARGIN;
  const [top, height] = [sheet.y, shown.length * CELL.line];
  sheet.paint(
    { x: MARGIN, y: top, width: total, height: Math.min(headerRows, shown.length) * CELL.line },
    BAND,
  );
  let x = MARGIN;
  for (const [at, column] of texts.entries()) {
    const width = (total * (wanted[at] ?? 0)) / all;
    const lines = column.map((text, row) => (row < headerRows ? `<b>${escaped(text)}</b>` : escaped(text)));
    const [first = '', ...below] = lines.map((line) => line || ' ');
    const markup = `<span line_height="${points(CELL.line)}">${[first + ANCHOR, ...below].join('\n')}</span>`;
    await sheet.column(markup, { x: x + CELL.padding, width: width - 2 * CELL.padding, height });
    x += width;
    if (at < columns - 1) sheet.paint({ x, y: top, width: 1, height }, RULE);
  }
  for (let row = 0; row <= shown.length; row++)
    sheet.paint({ x: MARGIN, y: top + row * CELL.line, width: total, height: 1 }, RULE);
  sheet.y = top + height + GAP;
}
