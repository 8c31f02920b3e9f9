import type { ElementType, PageBox } from './page.ts';

/** A line of a column, or of a cell, as it was recognised: in points of the upright page, from its top left corner. */
export interface RecognisedLine {
  text: string;
  x0: number;
  y0: number;
  x1: number;
  y1: number;
  baseline: number;
  /** Of its font. */
  size: number;
  bold: boolean;
  rightToLeft: boolean;
}

/** What was recognised on a page: all that a layout is made from, besides the picture. */
export interface RecognisedPage {
  /** Quarter turns clockwise by which the text of the page is turned. */
  turns: 0 | 1 | 2 | 3;
  /** Points of the upright page. */
  width: number;
  height: number;
  /** From top to bottom, in a row from left to right. */
  lines: readonly RecognisedLine[];
}

/** Parts of a page that are not the text itself. */
export const LINE_ROLES = ['page_header', 'page_footer', 'footnote'] as const;
export type LineRole = (typeof LINE_ROLES)[number];

/** One element of a page as a model sees it: it says which lines it has, and never what they say. */
export interface LaidOutElement {
  type: ElementType;
  role: LineRole | null;
  /** Numbers of its lines, from 1, in reading order. */
  lines: readonly number[];
  /** Of a list: the numbers of the lines that its items begin with. */
  starts: readonly number[];
  /** Of a table, its cells; of a key_value, one row with key and value. */
  rows: readonly (readonly string[])[];
  /** Of a figure: a part of the picture. */
  box: PageBox | null;
}

/** Which model divided a page into its elements. */
export interface LaidOutBy {
  provider: string;
  model: string;
  promptVersion: string;
}

/** Pages with more lines are left to the rules: the answer would be longer than models write. */
export const MAX_LINES_TO_LAY_OUT = 800;
/** A model that forgets more than this part of the lines has not looked at the page. */
const MOST_FORGOTTEN = 0.2;
const NAMED = 20;

/** What is wrong with a layout, in words that a model can act on; none if every line has one place at most. */
export function layoutProblems(
  elements: readonly LaidOutElement[],
  lines: readonly Pick<RecognisedLine, 'text'>[],
): string[] {
  const seen = new Set<number>();
  const problems = elements.flatMap((element, at) => {
    const own: string[] = [];
    const known = element.lines.filter((line) => lines[line - 1] !== undefined);
    const unknown = element.lines.filter((line) => lines[line - 1] === undefined);
    if (unknown.length > 0) own.push(`lines: there is no line ${named(unknown)}`);
    const repeated = known.filter((line) => seen.size === seen.add(line).size);
    if (repeated.length > 0) own.push(`lines: ${named(repeated)} already belong to an element`);
    const foreign = element.starts.filter((line) => !element.lines.includes(line));
    if (foreign.length > 0) own.push(`starts: ${named(foreign)} are none of its lines`);
    own.push(
      ...cellProblems(
        element,
        known.map((line) => lines[line - 1]?.text ?? ''),
      ),
    );
    if (element.type === 'figure' && element.lines.length === 0 && !element.box)
      own.push('box: a figure needs its box, or the lines of its caption');
    return own.map((problem) => `elements.${at}.${problem}`);
  });
  const forgotten = lines.map((_, at) => at + 1).filter((line) => !seen.has(line));
  return forgotten.length > lines.length * MOST_FORGOTTEN
    ? [...problems, `elements: no element has the lines ${named(forgotten)}`]
    : problems;
}

/** Whether the cells of an element are to be read: those of a running line or a note are its text alone. */
const hasCells = ({ type, role }: Pick<LaidOutElement, 'type' | 'role'>): boolean =>
  role === null && (type === 'table' || type === 'key_value');

function cellProblems(element: LaidOutElement, texts: readonly string[]): string[] {
  if (!hasCells(element)) return [];
  const { type, rows } = element;
  if (type === 'key_value' && !(rows.length === 1 && rows[0]?.length === 2))
    return ['rows: a key_value has one row of two cells, its key and its value'];
  if (rows.length === 0) return ['rows: a table needs its cells'];
  const { missing, added } = compareWords(texts, rows.flat());
  return [
    ...(missing.length > 0 ? [`rows: words of its lines are missing: ${quoted(missing)}`] : []),
    ...(added.length > 0 ? [`rows: words are not those of its lines: ${quoted(added)}`] : []),
  ];
}

/** The words that only one of two texts has. A word that is divided at the end of a line may be joined. */
function compareWords(
  lines: readonly string[],
  cells: readonly string[],
): { missing: string[]; added: string[] } {
  const missing = lines.flatMap(wordsOf);
  const added = cells.flatMap(wordsOf).filter((word) => !remove(missing, word));
  return { missing, added: added.filter((word) => !removeDivided(missing, word)) };
}

function removeDivided(words: string[], whole: string): boolean {
  for (const first of words.filter((word) => /[-‐\u00AD]$/u.test(word))) {
    for (const start of [first.slice(0, -1), first]) {
      const rest = whole.startsWith(start) ? whole.slice(start.length) : '';
      if (rest !== '' && words.includes(rest)) return remove(words, first) && remove(words, rest);
    }
  }
  return false;
}

/** The colon after a key stands between it and its value. */
const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKC')
    .split(/\s+/u)
    .map((word) => word.replace(/:$/, ''))
    .filter((word) => word !== '');

function remove(words: string[], word: string): boolean {
  const at = words.indexOf(word);
  if (at >= 0) words.splice(at, 1);
  return at >= 0;
}

const named = (numbers: readonly number[]): string =>
  numbers.slice(0, NAMED).join(', ') + (numbers.length > NAMED ? ', …' : '');

const quoted = (words: readonly string[]): string =>
  words
    .slice(0, NAMED)
    .map((word) => JSON.stringify(word))
    .join(', ') + (words.length > NAMED ? ', …' : '');
