import { boxAround } from '../../domain/documents/page.ts';
import type { PageBox } from 'darkroom-reader/document';
import type { Citation, Citations } from '../../domain/structured-extraction/extraction.ts';
import { leavesOf, type Leaf, type LeafValue } from '../../domain/structured-extraction/json-schema.ts';
import { linesOf, type ReadPage, wordsOf } from '../../domain/structured-extraction/read-page.ts';
import { readDate, readNumber } from '../../domain/structured-extraction/read-value.ts';

/** Minimum similarity of texts that count as the same. */
const ALIKE = 0.75;
/** Maximum number of lines that a value may span. */
const MOST_LINES = 4;

interface Place {
  text: string;
  cells?: readonly string[] | undefined;
  normal: string;
  /** Words of the normalised text. */
  words: readonly string[];
  box: PageBox;
  page: number;
  /** Numbers in the text, parsed once for all values. */
  numbers?: ReadonlySet<number>;
  dates?: ReadonlySet<string>;
}

/**
 * Locates each leaf of a result: in the line of text with its value, as written or in another notation, else in the
 * most similar line. Lines that also contain its name are preferred; and for list items, the next one down the page.
 */
export function cite(data: unknown, pages: readonly ReadPage[]): Citations {
  const places = pages.flatMap((page) =>
    linesOf(page)
      .filter(({ text }) => text.trim() !== '')
      .map(({ text, cells, box }): Place => {
        const normal = normalise(text);
        return { text, cells, normal, words: normal.split(' '), box, page: page.pageNumber };
      }),
  );
  const used = new Set<Place>();
  const cited = leavesOf(data).flatMap((leaf) => {
    // A boolean in a document is rarely written as the word.
    if (typeof leaf.value === 'boolean') return [];
    const citation = find(leaf, places, used);
    return citation ? [[leaf.pointer, citation] as const] : [];
  });
  return Object.fromEntries(cited);
}

/** A value to locate. */
interface Wanted {
  value: LeafValue;
  normal: string;
  /** Letter pairs of the value. */
  pairs: readonly string[];
}

function find(leaf: Leaf, places: readonly Place[], used: Set<Place>): Citation | undefined {
  const names = wordsOf(leaf.name);
  const normal = normalise(String(leaf.value));
  const wanted: Wanted = { value: leaf.value, normal, pairs: pairsOf(normal) };
  let best: { score: number; rank: number; from: number; count: number } | undefined;
  for (const [from, place] of places.entries()) {
    const { score, count } = match(wanted, places, from);
    if (score < ALIKE) continue;
    const words = wordsOf(place.text);
    const named = names.length > 0 && names.every((name) => words.includes(name));
    const rank = score + (named ? 0.5 : 0) + (used.has(place) ? 0 : 0.25);
    if (!best || rank > best.rank) best = { score, rank, from, count };
  }
  if (!best) return undefined;
  const lines = places.slice(best.from, best.from + best.count);
  for (const line of lines) used.add(line);
  return {
    text: lines.map(({ text }) => text).join('\n'),
    boundingBox: boxAround(lines.map(({ box }) => box)),
    page: lines[0]?.page ?? 1,
    confidence: Math.round(best.score * 100) / 100,
  };
}

/** How well the lines from here on match a value, 0–1, and how many of them match. */
function match(
  { value, normal: wanted, pairs }: Wanted,
  places: readonly Place[],
  from: number,
): { score: number; count: number } {
  const place = places[from];
  if (!place) return { score: 0, count: 0 };
  if (typeof value === 'number') {
    place.numbers ??= numbersIn(place);
    return { score: place.numbers.has(Math.abs(value)) ? 1 : 0, count: 1 };
  }
  if (ISO.test(String(value))) {
    place.dates ??= datesIn(place);
    if (place.dates.has(String(value))) return { score: 1, count: 1 };
  }
  if (wanted === '') return { score: 0, count: 0 };
  if (contains(place.normal, wanted)) return { score: 1, count: 1 };
  const score = mayBeAlike(place.normal, pairs) ? alikeIn(place.words, wanted) : 0;
  let best = { score, count: 1 };
  let text = place.normal;
  for (let count = 2; count <= MOST_LINES && text.length < wanted.length; count += 1) {
    const next = places[from + count - 1];
    if (!next || next.page !== place.page) break;
    // The value must begin in the first line.
    if (alikeIn(wanted.slice(0, place.normal.length).split(' '), place.normal) < ALIKE) break;
    text += ` ${next.normal}`;
    const score = contains(text, wanted) ? 1 : alikeIn(text.split(' '), wanted);
    if (score > best.score) best = { score, count };
  }
  return best;
}

function normalise(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** Whole words only: `12` is not in `112`. */
function contains(text: string, wanted: string): boolean {
  return ` ${text} `.includes(` ${wanted} `);
}

const AMOUNT = /[-–−(]?[$€£¥]?\s?[-–−]?\d(?:[\d.,'’]*\d)?(?:[ \u00A0]\d{3})*(?:[.,]\d+)?\)?/gu;

/** The possible numbers in a text, without their signs. */
function numbersIn({ text, cells = [] }: Place): Set<number> {
  const parts = [...(text.match(AMOUNT) ?? []), ...cells, ...(text.match(/\d+(?:[.,]\d+)*/g) ?? [])];
  return new Set(parts.flatMap((part) => Math.abs(readNumber(part) ?? Number.NaN)));
}

const ISO = /^\d{4}-\d{2}-\d{2}$/;
/** Consecutive words that may form a date. */
const DATE_WORDS = 4;

/** The possible dates in a text, as `YYYY-MM-DD`. */
function datesIn({ text, cells = [text] }: Place): Set<string> {
  const dates = new Set<string>();
  for (const words of cells.map((cell) => cell.split(/\s+/).filter((word) => word !== ''))) {
    for (let from = 0; from < words.length; from += 1) {
      for (let count = 1; count <= DATE_WORDS; count += 1) {
        const some = words
          .slice(from, from + count)
          .join(' ')
          .replace(/[.,;)]$/, '');
        const date = readDate(some);
        if (date !== undefined) dates.add(date);
      }
    }
  }
  return dates;
}

/** Similarity of a text to the most similar part of the same length in another one, by letter pairs (Dice). */
function alikeIn(words: readonly string[], wanted: string): number {
  const count = wanted.split(' ').length;
  let best = 0;
  for (let from = 0; from + count <= Math.max(words.length, count); from += 1) {
    const some = words.slice(from, from + count).join(' ');
    if (mostAlike(some, wanted) >= ALIKE) best = Math.max(best, dice(some, wanted));
    if (from > words.length) break;
  }
  return best;
}

/** Whether part of a text can be similar enough: at least `ALIKE / (2 - ALIKE)` of the pairs must be in it. */
function mayBeAlike(text: string, pairs: readonly string[]): boolean {
  let missing = (1 - ALIKE / (2 - ALIKE)) * pairs.length;
  for (const pair of pairs) {
    if (text.includes(pair)) continue;
    missing -= 1;
    if (missing < 0) return false;
  }
  return true;
}

function pairsOf(text: string): string[] {
  return Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2));
}

/** Maximum similarity of texts of these lengths. */
function mostAlike(some: string, other: string): number {
  const [short, long] = some.length < other.length ? [some, other] : [other, some];
  return (2 * Math.max(0, short.length - 1)) / Math.max(1, short.length + long.length - 2);
}

function dice(some: string, other: string): number {
  const pairs = new Map<string, number>();
  for (let at = 0; at < some.length - 1; at += 1) {
    const pair = some.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  let common = 0;
  for (let at = 0; at < other.length - 1; at += 1) {
    const pair = other.slice(at, at + 2);
    const left = pairs.get(pair) ?? 0;
    if (left === 0) continue;
    pairs.set(pair, left - 1);
    common += 1;
  }
  return (2 * common) / Math.max(1, some.length + other.length - 2);
}
