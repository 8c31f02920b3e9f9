/** Titles of a document's outline, found among the lines of the page to which they lead. */
import { HEADING_WORDS } from '../document/page-line.ts';
import { BULLET } from './list-marker.ts';
import type { OutlineTitle, Segment } from './page-parts.ts';
import { makeSegment } from './segments.ts';

/** A title, which may fill several lines. */
export interface FoundTitle {
  /** Its level in the outline; without one, its number alone says that it is a title. */
  level?: number;
}

const NUMBER = new RegExp(
  String.raw`^(?:(?:${HEADING_WORDS})\s+)?(?:[A-Z]|\d{1,3}|[IVXL]{1,6})(?:\.\d{1,3}){0,5}[.):]?\s+`,
  'iu',
);
/** Of a section below another: in bold at the beginning of a paragraph, it is its title. */
const NUMBERED = /^(?:\d{1,3}|[A-Z])(?:\.\d{1,3}){1,4}\.?\s+\p{Lu}.*\p{L}[.:]?$/u;
const LONGEST_RUN_IN = 80;
const MOST_LINES = 4;
/** Of lines with a title's words, those as large and bold as any are it: running titles and contents repeat it. */
const AS_LARGE = 0.97;
/** Lines of a title differ in size by no more than this share. */
const SAME_SIZE = 0.08;

const lettersOf = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '');

/** The letters of a title, with and without its number, which either of outline and page may leave out. */
const keysOf = (text: string): string[] => [
  ...new Set([lettersOf(text), lettersOf(text.replace(NUMBER, ''))].filter((key) => key.length > 1)),
];

interface Expected {
  keys: readonly string[];
  level: number;
  /** The size of the largest line with all its words, and whether one of this size is bold. */
  size: number;
  bold: boolean;
  found: boolean;
}

export interface TitleFinder {
  /** The lines of a column that are of a title; each title is found once. */
  find: (lines: readonly Segment[]) => ReadonlyMap<Segment, FoundTitle>;
  /** A title and the text that follows it in the same line; any other line is whole. */
  partRunIn: (line: Segment) => Segment[];
}

/**
 * Finds the titles of a page.
 *
 * @param segments all lines of the page
 */
export function createTitleFinder(
  titles: readonly OutlineTitle[],
  segments: readonly Segment[],
): TitleFinder {
  const expected = titles.flatMap(({ text, level }): Expected[] => {
    const keys = keysOf(text);
    return keys.length > 0 ? [{ keys, level, size: 0, bold: false, found: false }] : [];
  });
  const whole = new Map(expected.flatMap((title) => title.keys.map((key) => [key, title] as const)));
  if (whole.size > 0)
    for (const { text, size, bold } of segments)
      for (const key of keysOf(text)) {
        const title = whole.get(key);
        if (!title || size < title.size * AS_LARGE) continue;
        title.bold = bold || (title.bold && size * AS_LARGE <= title.size);
        title.size = Math.max(title.size, size);
      }
  const numbered = new Set<Segment>();
  return {
    find(lines) {
      const found = new Map<Segment, FoundTitle>();
      for (const line of lines) if (numbered.has(line)) found.set(line, {});
      if (expected.length === 0) return found;
      for (let at = 0; at < lines.length; at++) {
        const match = titleAt(lines, at, expected);
        if (!match) continue;
        match.title.found = true;
        const one = { level: match.title.level };
        for (const line of lines.slice(at, at + match.lines)) found.set(line, one);
        at += match.lines - 1;
      }
      return found;
    },
    partRunIn(line) {
      // Of a line that is a title, words set like code are seldom bold.
      const ends = line.rightToLeft || line.bold ? -1 : line.runs.findIndex(({ bold }) => !bold);
      if (ends < 1) return [line];
      const title = makeSegment(line.runs.slice(0, ends));
      const isNumbered = title.text.length <= LONGEST_RUN_IN && NUMBERED.test(title.text);
      if (isNumbered) numbered.add(title);
      const isKnown = whole.size > 0 && keysOf(title.text).some((key) => whole.has(key));
      return isNumbered || isKnown ? [title, makeSegment(line.runs.slice(ends))] : [line];
    },
  };
}

function titleAt(
  lines: readonly Segment[],
  at: number,
  expected: readonly Expected[],
): { title: Expected; lines: number } | undefined {
  const first = lines[at];
  // A list of what follows names its titles as well.
  if (!first || BULLET.test(first.text)) return undefined;
  let begun = keysOf(first.text);
  const fits = expected.filter(
    ({ found, size, bold }) => !found && first.size >= size * AS_LARGE && (first.bold || !bold),
  );
  for (let count = 1; count <= MOST_LINES && begun.length > 0; count++) {
    const title = fits.find(({ keys }) => begun.some((text) => keys.includes(text)));
    if (title) return { title, lines: count };
    begun = begun.filter((text) => fits.some(({ keys }) => keys.some((key) => key.startsWith(text))));
    const next = lines[at + count];
    if (!next || Math.abs(next.size - first.size) > SAME_SIZE * first.size) return undefined;
    begun = begun.map((text) => text + lettersOf(next.text));
  }
  return undefined;
}
