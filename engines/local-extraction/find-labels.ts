import { plainText, type Table, validText } from 'darkroom-reader/document';
import type { JsonSchema } from '../../domain/structured-extraction/json-schema.ts';
import { CURRENCY } from '../../domain/structured-extraction/read-value.ts';
import { cellsOf, linesOf, type ReadPage, wordsOf } from '../../domain/structured-extraction/read-page.ts';

/** A label on a page and the value beside it. */
interface Labelled {
  label: string;
  value: string;
  /** Words of the heading above it. */
  section: readonly string[];
  /** Whether the label stands above the value, as on forms. */
  isAbove?: boolean;
}

/** A table with a header. */
export interface LabelledTable {
  headers: readonly string[];
  rows: readonly (readonly string[])[];
}

/** A heading, or a line in its place, with the list below it. */
interface LabelledList {
  label: string;
  items: readonly string[];
}

/** All labelled values of a document. */
export interface Labels {
  pairs: readonly Labelled[];
  tables: readonly LabelledTable[];
  lists: readonly LabelledList[];
  /** Words of the first heading, or of the first line. */
  title: readonly string[];
}

/** After Chinese, Japanese and Korean words, a colon is wide or has no space. */
const COLON = /^([^:：|]{1,60}?) ?(?:: |： ?|(?<=[\u3040-\u30FF\u3400-\u9FFF\uAC00-\uD7A3]):)(\S.*)$/u;
/** A word or more, then an amount at the end of the line: `TOTAL 12.50`, `Tax (8 %) $1.00`. */
const TRAILING =
  /^(\p{L}[^\d$€£¥]{0,38}?(?: ?\([^)]{0,40}\))?)[ .…_]((?:(?:[-–−$€£¥]|[A-Z]{3}\b) ?){0,3}\d[\d.,'’ ]{0,30}(?:[$€£¥%]|[A-Z]{3})?(?: ?[CDcd]\.?[Rr]\.?)?)$/u;
/** Dots or underscores between a label and its amount. */
const LEADERS = /(?:[.…_] ?){2,}/g;
/** A label and what is written on the line after it; three dots are those of a sentence, and contents may lead elsewhere. */
const LED = /^(\p{L}[^.…_]{0,58}?) ?(?:[.…_] ?){4,}(?![.…_]|(?:see|siehe|voir|véase|ver|vedi|zie) )(\S.*)$/u;
/** The line of a form, to be written on. */
const TO_FILL = /^(?:[.…_] ?){4,}|(?<![.…_] ?)(?:[.…_] ?){4,}$/g;
/** Longer texts are sentences, not labels. */
const MOST_LABEL_WORDS = 6;

export function findLabels(pages: readonly ReadPage[]): Labels {
  const pairs: Labelled[] = [];
  const tables: LabelledTable[] = [];
  const lists: LabelledList[] = [];
  for (const page of pages) {
    let section: readonly string[] = [];
    let heading = '';
    for (const element of page.elements) {
      if (element.type === 'heading') {
        heading = element.content;
        section = wordsOf(heading);
      } else if (element.type === 'table') {
        const table = readTable(element);
        tables.push(table);
        pairs.push(...pairsOfRows([table.headers, ...table.rows]).map((pair) => ({ ...pair, section })));
      } else if (element.type === 'list') {
        lists.push({ label: heading, items: element.items.map(({ text, marks }) => validText(text, marks)) });
      } else if (element.type === 'key_value') {
        pairs.push({ label: element.key, value: element.value, section });
      } else {
        pairs.push(
          ...plainText(element)
            .split('\n')
            .flatMap(pairOfLine)
            .map((pair) => ({ ...pair, section })),
        );
      }
    }
    // Recognised lines are shorter than the paragraphs that they were joined to.
    const own = (page.lines ?? []).flatMap(({ text }) => pairOfLine(text));
    pairs.push(...own.map((pair) => ({ ...pair, section: [] })), ...pairsAbove(page));
  }
  return { pairs: distinct(pairs), tables, lists, title: titleOf(pages) };
}

function titleOf([first]: readonly ReadPage[]): string[] {
  if (!first) return [];
  const heading = first.elements.find((element) => element.type === 'heading')?.content;
  const [line] = linesOf(first);
  return wordsOf(`${heading ?? ''} ${line?.text ?? ''}`);
}

function readTable(table: Table): LabelledTable {
  const [headers = [], ...rows] = cellsOf(table);
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
  const match =
    COLON.exec(text) ?? TRAILING.exec(text.replaceAll(LEADERS, ' ').replaceAll('  ', ' ')) ?? LED.exec(text);
  const [, label, value] = match ?? [];
  if (label === undefined || value === undefined || !isLabel(label)) return [];
  return [{ label: label.trim(), value: value.replaceAll(TO_FILL, '').trim() }];
}

/** How far a value may be from its label, in parts of the page. */
const NEAR = { x: 0.05, y: 0.05 };

/** Lines that may be labels of what is below them: the next line in the same column, or the cell of the next row. */
function pairsAbove({ elements, lines = [] }: ReadPage): Labelled[] {
  const section: readonly string[] = [];
  const cells = elements.flatMap((element) => {
    const rows = element.type === 'table' ? cellsOf(element) : [];
    // A header above a single row, or rows of labels above rows of values.
    if (rows.length % 2 !== 0) return [];
    return rows.flatMap((row, at) =>
      at % 2 === 0 && row.every((cell) => !/\d/.test(cell))
        ? row.flatMap((label, column) => above(label, rows[at + 1]?.[column]))
        : [],
    );
  });
  const texts = elements.flatMap((element) =>
    element.type === 'heading' || element.type === 'paragraph'
      ? element.content.split('\n').map((text) => ({ text, box: element.box }))
      : [],
  );
  const stacked = [texts, lines].flatMap((column) =>
    column.flatMap(({ text, box }, at) => {
      const isBelow = ({ box: other }: (typeof column)[number]): boolean =>
        Math.abs(other.x - box.x) <= NEAR.x &&
        other.y >= box.y &&
        (other.w === 1 || other.y - box.y - box.h <= NEAR.y);
      return above(text, column.slice(at + 1, at + 1 + MOST_BESIDE).find(isBelow)?.text);
    }),
  );
  return [...cells, ...stacked].map((pair) => ({ ...pair, section, isAbove: true }));
}

/** Columns of a form. */
const MOST_BESIDE = 8;

function above(label: string, value = ''): Omit<Labelled, 'section'>[] {
  const plain = label.trim().replace(/(?<!\s)\s*:$/, '');
  const isOne = isLabel(plain) && !/[.:!?]$/.test(plain) && value.trim() !== '';
  return isOne ? [{ label: plain, value: value.trim() }] : [];
}

function isLabel(text: string): boolean {
  const count = text.trim().split(/\s+/).length;
  return /\p{L}/u.test(text) && count <= MOST_LABEL_WORDS;
}

/** What is filled in: no value is nothing but the line of a form. A line and its element give the same pair; the first has more context. */
function distinct(pairs: readonly Labelled[]): Labelled[] {
  const seen = new Set<string>();
  return pairs.filter(({ label, value }) => {
    if (value === '' || (/^[_/.…\s]*$/.test(value) && /__|(?:[.…] ?){4}/.test(value))) return false;
    const key = JSON.stringify([wordsOf(label), value.replaceAll(/\s+/g, ' ')]);
    return seen.has(key) ? false : seen.add(key);
  });
}

/** A property to find a label for. */
export interface Wanted {
  /** The words of its name, and those of its title. */
  names: readonly (readonly string[])[];
  /** Its description, in words. */
  description: readonly string[];
  /** The words of its parent properties. */
  parents: readonly string[];
}

/**
 * The currency or unit of a value, behind its label. A scale, as in `(m)` or `(EUR million)`, would change it, and `(min)` may be the
 * least.
 */
const IN_UNIT = new RegExp(
  String.raw`(?<=\S) ?\((?:in )?(?:${CURRENCY}|%|[kmµμ]?g|lbs?|oz|t|[cmk]?m²|[cm]?m³|[cmk]m|ft|[cm]?l|h|m?s|d|°[CF]|[kM]?W|[kM]?Wh|[kM]?Hz|bar|k?Pa|km/h|m/s)\)$`,
  'u',
);

/** The context of a label: the heading above it, the title of the document. */
interface LabelContext {
  section: readonly string[];
  title: readonly string[];
}

export function wantedOf(name: string, schema: JsonSchema, parents: readonly string[]): Wanted {
  return {
    names: [wordsOf(name), ...(schema.title ? [wordsOf(schema.title)] : [])].filter(({ length }) => length),
    description: wordsOf(schema.description ?? ''),
    parents,
  };
}

/**
 * Confidence that a label means a property, 0–1; 0 is no match. The words must be the same, or the missing ones must be
 * in the heading or the title: below "Invoice", `Date` is the date of the invoice. A unit behind it need not be in the name.
 */
export function labelScore(label: string, wanted: Wanted, context: LabelContext): number {
  return (
    scoreOf(wordsOf(label), wanted, context) || scoreOf(wordsOf(label.replace(IN_UNIT, '')), wanted, context)
  );
}

function scoreOf(words: readonly string[], wanted: Wanted, context: LabelContext): number {
  if (words.length === 0) return 0;
  const known = new Set([...context.section, ...context.title]);
  const inPlace = wanted.parents.every((word) => words.includes(word) || context.section.includes(word));
  const scores = wanted.names.map((name) => {
    const whole = [...new Set([...wanted.parents, ...name])];
    if (wanted.parents.length > 0 && sameWords(words, whole)) return 1;
    if (!inPlace) return 0;
    if (sameWords(words, name)) return 1;
    // Nested properties are named by their parents already.
    const missing = name.filter((word) => !words.includes(word));
    const unknown = words.filter((word) => !name.includes(word) && !wanted.parents.includes(word));
    if (missing.length === 0 && unknown.every((word) => FILLERS.has(word))) return 0.9;
    if (unknown.length === 0 && missing.every((word) => FILLERS.has(word))) return 0.9;
    return unknown.length === 0 && missing.every((word) => known.has(word)) ? 0.7 : 0;
  });
  return Math.max(0, ...scores, inPlace ? describedScore(words, wanted.description) : 0);
}

/** Words that a label may add or omit without changing its meaning. */
const FILLERS = new Set(['amount', 'value', 'price', 'grand', 'sum', 'full']);

/** Matches a description that equals the label or contains its words in a row: "Order reference of the customer". */
function describedScore(words: readonly string[], description: readonly string[]): number {
  if (sameWords(words, description)) return 0.8;
  if (words.length < 2) return 0;
  const row = description.some((_, at) => words.every((word, index) => description[at + index] === word));
  return row ? 0.6 : 0;
}

function sameWords(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((word) => others.includes(word));
}
