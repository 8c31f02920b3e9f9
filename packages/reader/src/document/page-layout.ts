import type { ElementType } from './element.ts';
import type { PageBox } from './page.ts';

/** A line of a column or a cell: in points of the upright page, from its top left corner. */
export interface TextLine {
  text: string;
  x0: number;
  y0: number;
  x1: number;
  y1: number;
  baseline: number;
  /** Font size. */
  size: number;
  bold: boolean;
  rightToLeft: boolean;
}

/** The lines of a page, of its text layer or recognised: together with the image, the whole input of a layout. */
export interface PageLines {
  /** Quarter turns clockwise by which the text is rotated. */
  turns: 0 | 1 | 2 | 3;
  /** Points of the upright page. */
  width: number;
  height: number;
  /** From top to bottom, and within a row from left to right. */
  lines: readonly TextLine[];
}

/** Roles of lines that are not body text. */
export const LINE_ROLES = ['page_header', 'page_footer', 'footnote'] as const;
export type LineRole = (typeof LINE_ROLES)[number];

/** An element of a page as a model lays it out: it refers to lines by number and never repeats their text. */
export interface LaidOutElement {
  type: ElementType;
  role: LineRole | null;
  /** Numbers of its lines, from 1, in reading order. */
  lines: readonly number[];
  /** For a list: the numbers of the lines at which its items begin. */
  starts: readonly number[];
  /** For a table, its cells; for a key_value, one row with key and value. */
  rows: readonly (readonly string[])[];
  /** For a figure: a region of the image. */
  box: PageBox | null;
}

/** Which pages a model lays out: none, those of which the rules are unsure, or all. */
export const LAYOUT_CHOICES = ['rules', 'auto', 'always'] as const;
export type LayoutChoice = (typeof LAYOUT_CHOICES)[number];

/** Below this confidence, the rules are unsure. */
const SURE = 0.8;
const BELOW: Readonly<Record<LayoutChoice, number>> = { rules: 0, auto: SURE, always: Infinity };

/** A model lays out the pages whose confidence is below this one. */
export const modelBelow = (choice: LayoutChoice): number => BELOW[choice];

/** The model that divided a page into its elements. */
export interface LaidOutBy {
  provider: string;
  model: string;
  promptVersion: string;
}

/** Pages with more lines are laid out by rules: the answer would exceed what models write. */
export const MAX_LINES_TO_LAY_OUT = 800;
/** Maximum share of omitted lines; a model that omits more has not looked at the page. */
const MOST_FORGOTTEN = 0.2;
const NAMED = 20;

/** The problems of a layout, in words a model can act on; none if every line is placed at most once. */
export function layoutProblems(
  elements: readonly LaidOutElement[],
  lines: readonly Pick<TextLine, 'text'>[],
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

/** The words that occur in only one of two texts. A word divided at the end of a line may be joined. */
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

/** The colon after a key separates it from its value. */
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
