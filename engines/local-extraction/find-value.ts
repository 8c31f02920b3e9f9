import { plainText, type Table, type PageBox } from 'darkroom-reader/document';
import type { JsonSchema } from '../../domain/structured-extraction/json-schema.ts';
import { cellsOf, type ReadPage } from '../../domain/structured-extraction/read-page.ts';
import {
  type DateOrder,
  dateOrderOf,
  hasDecimalCommas,
} from '../../domain/structured-extraction/read-value.ts';
import { type FoundLabel, labelWords, Lexicon } from './label-words.ts';
import { MEANINGS } from './meanings.ts';
import { currenciesIn, shapedValues } from './shaped-values.ts';

/** A piece of text with its neighbours, where values of its labels may be. */
interface Segment {
  text: string;
  labels: readonly FoundLabel[];
  /** The nearest pieces to its right, then below it. */
  right?: Segment;
  below?: Segment;
}

/** The text of a document for searches by label. */
export interface Labelled {
  segments: readonly Segment[];
  text: string;
  order: DateOrder | undefined;
  hasDecimalCommas: boolean;
}

const LEXICON = new Lexicon();
for (const [meaning, { tiers }] of Object.entries(MEANINGS)) {
  for (const [tier, labels] of tiers.entries()) {
    for (const label of labels.split('|')) LEXICON.add(label, meaning, tier);
  }
}
/** Pages with more elements are searched for values within elements only. */
const MOST_NEIGHBOURS = 400;
/** More labels in one piece of text are prose. */
const MOST_STACKED = 8;

export function readSegments(pages: readonly ReadPage[]): Labelled {
  const segments = pages.flatMap(segmentsOf);
  const text = segments.map((segment) => segment.text).join('\n');
  return { segments, text, order: dateOrderOf(text), hasDecimalCommas: hasDecimalCommas(text) };
}

function segmentsOf({ elements, lines = [] }: ReadPage): Segment[] {
  const placed: { segment: Segment; box: PageBox }[] = [];
  const cells: Segment[] = [];
  for (const element of elements) {
    if (element.type === 'table') cells.push(...tableSegments(element));
    else
      for (const text of plainText(element).split('\n'))
        placed.push({ segment: segmentOf(text), box: element.box });
  }
  for (const { text, box } of lines) placed.push({ segment: segmentOf(text), box });
  if (placed.length > MOST_NEIGHBOURS) return [...placed.map(({ segment }) => segment), ...cells];
  for (const { segment, box } of placed) {
    if (segment.labels.length === 0) continue;
    const beside = placed
      .filter((other) => other.box.x >= box.x + box.w && sameHeight(other.box, box))
      .toSorted((a, b) => a.box.x - b.box.x)[0];
    const beneath = placed
      .filter(
        ({ box: other }) =>
          Math.abs(other.x - box.x) < 0.02 && other.y > box.y && other.y - box.y - box.h < 0.02,
      )
      .toSorted((a, b) => a.box.y - b.box.y)[0];
    if (beside) segment.right = beside.segment;
    if (beneath) segment.below = beneath.segment;
  }
  return [...placed.map(({ segment }) => segment), ...cells];
}

function segmentOf(text: string): Segment {
  return { text, labels: LEXICON.find(text) };
}

function tableSegments(table: Table): Segment[] {
  const rows = cellsOf(table).map((cells) => cells.map(segmentOf));
  for (const row of rows) {
    for (const [at, cell] of row.entries()) {
      const right = row.slice(at + 1).filter(({ text }) => text !== '' && text !== cell.text);
      // Of several values in a row, none is meant more than another.
      if (right[0] && (right.length === 1 || right[0].labels.length > 0 || right[1]?.labels.length)) {
        cell.right = right[0];
      }
      // Below a column's header are the values of many rows.
      const below = rows.length === 2 && row === rows[0] ? rows[1]?.[at] : undefined;
      if (below) cell.below = below;
    }
  }
  return rows.flat();
}

function sameHeight(some: PageBox, other: PageBox): boolean {
  const common = Math.min(some.y + some.h, other.y + other.h) - Math.max(some.y, other.y);
  return common > 0.5 * Math.min(some.h, other.h);
}

/** What a property means: the label that has its name; undefined if it is none of the known ones. */
export function meaningOf(names: readonly string[], { type, format }: JsonSchema): string | undefined {
  const known = names.map((name) => sorted(name)).filter((name) => name !== '');
  const fits = ([meaning, { shape, tiers, names: more = '' }]: [
    string,
    (typeof MEANINGS)[string],
  ]): boolean => {
    if ((type === 'number') !== (shape === 'amount') || (format === 'date') !== (shape === 'date'))
      return false;
    return [meaning, ...more.split('|'), ...tiers.slice(0, 2).flatMap((tier) => tier.split('|'))].some(
      (label) => known.includes(sorted(label)),
    );
  };
  return Object.entries(MEANINGS).find(fits)?.[0];
}

const sorted = (label: string): string =>
  labelWords(label.replaceAll('_', ' '))
    .map(({ word }) => word)
    .toSorted()
    .join(' ');

/** Between a label and its value: marks, shares, currencies, notes in parentheses, and words that lead to a value. */
const BETWEEN =
  /^(?:[\s:.…_=#*°-]|\([^()]{0,40}\)|\d{1,2}(?:[.,]\d{1,2})? ?%|\b(?:EUR|USD|GBP|CHF|INR|TTC|HT|du|vom|le|am|on|is|of)\b){0,40}$/u;
/** As well as the number of an invoice: `Facture n° 12 du 3 mai 2024`. */
const DATED = /^[\s:.#-]*(?:n[°º.]*\s*)?[\w/-]{0,30}\d[\w/-]{0,30},? (?:du|vom|of|dated|del?|from)\s+$/iu;

/** The names of a property, and those of the others beside it, whose labels are none of its own. */
export interface Names {
  own: readonly string[];
  others: readonly string[];
}

/**
 * The value of a known meaning, as written; undefined if there is none, or two are as likely. A label with the name of the property
 * goes before others that mean it, except for those that say it more exactly: a grand total is the total.
 */
export function findValue(
  { segments, text, order }: Labelled,
  meaning: string,
  names: Names,
): string | undefined {
  const [own, others] = [names.own, names.others].map((each) => new Set(each.map(sorted))) as [
    Set<string>,
    Set<string>,
  ];
  const containsName = (label: string): boolean => {
    const words = new Set(label.split(' '));
    return [...own].some((name) => name !== '' && name.split(' ').every((word) => words.has(word)));
  };
  const shape = MEANINGS[meaning]?.shape ?? 'text';
  if (shape === 'currency') return only(currenciesIn(text));
  let best = Number.POSITIVE_INFINITY;
  let values = new Set<string>();
  for (const segment of segments) {
    for (const [at, label] of segment.labels.entries()) {
      const tier = label.tiers.get(meaning);
      if (tier === undefined || !beginsLabel(segment.text, label)) continue;
      const found = valueOf(segment, at, { shape, order });
      if (!found) continue;
      const said = sorted(segment.text.slice(label.start, label.end));
      if (others.has(said) && !own.has(said)) continue;
      const isNamed = own.has(said);
      const doubt = isNamed ? (tier === 0 ? 0 : 2) : tier === 0 ? (containsName(said) ? 1 : 3) : 3 + tier;
      const rank = doubt * 10 + found.rank;
      if (rank > best) continue;
      if (rank < best) values = new Set();
      best = rank;
      values.add(found.value);
    }
  }
  if (values.size > 0) return only([...values]);
  const isUnmistakable = shape === 'iban' || shape === 'vat_id' || shape === 'email';
  return isUnmistakable ? only(shapedValues(text, shape).map((found) => found.text)) : undefined;
}

/** Whether a text is nothing but labels: the header of a column, not a value. */
export function isOnlyLabels(text: string): boolean {
  const labels = LEXICON.find(text);
  const within = (at: number): boolean => labels.some(({ start, end }) => at >= start && at < end);
  return labels.length > 0 && labelWords(text).every(({ start }) => within(start));
}

/** Whether a label is not the end of a longer name: `running total`. */
function beginsLabel(text: string, { start, words }: FoundLabel): boolean {
  return words > 1 || !/[\p{L}\p{M}][ -]*$/u.test(text.slice(Math.max(0, start - 24), start));
}

type Sought = { shape: (typeof MEANINGS)[string]['shape']; order: DateOrder | undefined };

function valueOf(segment: Segment, at: number, sought: Sought): { value: string; rank: number } | undefined {
  const label = segment.labels[at];
  if (!label) return undefined;
  const next = segment.labels[at + 1]?.start;
  const own = leading(segment.text.slice(label.end, next), sought, next === undefined);
  if (own !== undefined) return { value: own, rank: 0 };
  // Labels in a stack: `Invoice number: Date:` beside `123 3 May 2024`.
  const stack =
    segment.labels.length <= MOST_STACKED &&
    segment.labels.every(({ end }, index) =>
      BETWEEN.test(segment.text.slice(end, segment.labels[index + 1]?.start)),
    );
  const isWhole = stack && BETWEEN.test(segment.text.slice(0, segment.labels[0]?.start));
  if (!isWhole) return undefined;
  for (const [index, near] of [segment.right, segment.below].entries()) {
    if (!near || near.labels.some(({ start }) => start === 0)) continue;
    const values = shapedValues(near.text, sought.shape, sought.order);
    const value =
      segment.labels.length > 1
        ? only(values.map(({ text }) => text))
        : leading(near.text, sought, true, true);
    if (value !== undefined) return { value, rank: index + 1 };
  }
  return undefined;
}

/** The value that a text begins with. */
function leading(
  text: string,
  { shape, order }: Sought,
  isLast: boolean,
  isNear = false,
): string | undefined {
  if (shape === 'name' || shape === 'text') {
    // The value of a neighbour is the whole of it; in the text of the label itself a colon begins it.
    const colon = isNear ? '' : /^(?: (?:to|à|a|an))?\s*:\s*/.exec(text)?.[0];
    if (colon === undefined || !isLast) return undefined;
    const plain = text.slice(colon.length).trim().replace(/[,;]$/, '');
    const isShort = /[\p{L}\p{N}]/u.test(plain) && plain.split(' ').length <= (shape === 'name' ? 6 : 16);
    return isShort && LEXICON.find(plain).length === 0 ? plain : undefined;
  }
  const [first, ...others] = shapedValues(text, shape, order);
  if (!first) return undefined;
  // Of several columns of amounts, none is meant more than another.
  if (shape === 'amount' && others.some((other) => other.text !== first.text)) return undefined;
  const between = text.slice(0, first.start);
  return BETWEEN.test(between) || (shape === 'date' && DATED.test(between)) ? first.text : undefined;
}

function only(values: readonly string[]): string | undefined {
  const distinct = new Set(values);
  return distinct.size === 1 ? [...distinct][0] : undefined;
}
