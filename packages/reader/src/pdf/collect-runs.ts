import { type Box, heightOf, type QuarterTurns, widthOf } from '../layout/geometry.ts';
import type { Run } from '../layout/page-parts.ts';
import { THICK } from '../layout/ruled-tables.ts';
import { isAccent } from '../layout/segments.ts';
import type { FontLook } from './font-look.ts';

/** A character's place in the frame in which it is upright. */
export interface Letter {
  /** Where its glyph begins: letters of a ligature share it. */
  x0: number;
  x1: number;
  baseline: number;
  size: number;
  turns: QuarterTurns;
  /** Degrees clockwise by which its line is turned besides; 0 for level lines. */
  angle: number;
  look: FontLook;
  /** The number of its block among those that the page's tags name. */
  tag?: number | undefined;
}

const ASCENT = 0.78;
const DESCENT = 0.22;
/** A wider gap, in heights of the font, ends a run. */
const GAP = 0.8;
/** So does an overlap: an accent, drawn before its letter. */
const OVERLAP = 0.1;
/** The widths of letters at an angle are guessed. */
const OVERLAP_AT_ANGLE = 0.6;
/** Letters of a right-to-left run may overlap, and numbers in it run to the right. */
const BACK = 2;

/** So far to the right of the last letter, in heights of the font, begins a word that is not the next one to the left. */
const NEXT_WORD = 0.5;

/** Distance of a vowel sign's baseline from that of its word, in heights of the font. */
const SIGN_HEIGHT = 0.5;

/** A run to which characters are added, of which the letters of the last glyph stand apart. */
interface OpenRun {
  run: Run;
  turns: QuarterTurns;
  lastGlyph: string;
  glyphAt: number;
  /** The glyphs before it. */
  glyphs: { text: string; x0: number }[];
}

/** A smaller gap, in heights of the font, has no room for a line of a table. */
const ROOM_FOR_LINE = 0.1;
/** Of a page with more, none is looked at. */
const MOST_LINES = 1_000;
/** After so many comparisons of lines with gaps, further gaps are those of words. */
const MOST_COMPARED = 10_000_000;

/**
 * Joins the characters of a line, in logical order, to runs of one font.
 *
 * @param rules of the page: one between two characters parts them, in cells that are nearer to each other than words
 */
export function createRunCollector(rules: readonly Box[] = []) {
  const down = rules.filter((rule) => widthOf(rule) <= THICK && heightOf(rule) > widthOf(rule));
  const lines = down.length > MOST_LINES ? [] : down;
  let left = MOST_COMPARED;
  const isParted = ({ run }: OpenRun, { x0, size, turns }: Letter): boolean =>
    turns === 0 &&
    x0 - run.x1 > ROOM_FOR_LINE * size &&
    (left -= lines.length) >= 0 &&
    lines.some(
      (line) =>
        line.x0 >= run.x1 - 1 &&
        line.x1 <= x0 + 1 &&
        line.y0 < run.baseline - size / 2 &&
        line.y1 > run.baseline,
    );
  const runs: [Run[], Run[], Run[], Run[]] = [[], [], [], []];
  let open: OpenRun | undefined;
  let spaceBefore = false;
  function close(): void {
    if (!open) return;
    endGlyph(open);
    open.run.text = (isTorn(open.run) ? fromTheRight(open) : open.run.text).trimEnd();
    runs[open.turns].push(open.run);
    open = undefined;
  }
  return {
    /** The engine also ends lines before superscripts, so that a space does not follow from it. */
    endLine: close,
    /**
     * @param isOfPage whether the page has it; the engine adds others, also before superscripts
     * @param x0 where the page has it
     */
    addSpace(isOfPage: boolean, x0?: number) {
      // Beside text of the other direction, the engine has spaces of the page on the wrong side of signs.
      const isAstray = open && x0 !== undefined && !open.run.rightToLeft && x0 < open.glyphAt;
      if (isAstray) return;
      if (open) {
        endGlyph(open);
        open.run.text += ' ';
      }
      spaceBefore ||= isOfPage;
    },
    add(code: number, letter: Letter | undefined) {
      if (!letter) return;
      const { x0, x1, baseline, size, turns, look, tag } = letter;
      const rightToLeft =
        isRightToLeft(code) || (isNeutral(code) && open?.run.rightToLeft === true && x0 < open.run.x0);
      const text = String.fromCodePoint(code);
      const belongs = open?.run.rightToLeft === true && isSign(text) && isAbove(open, letter);
      if (open && (belongs || (goesOn(open, letter, rightToLeft) && !isParted(open, letter)))) {
        if (open.glyphAt !== x0) endGlyph(open);
        open.run.x0 = Math.min(open.run.x0, x0);
        open.run.x1 = Math.max(open.run.x1, x1);
      } else {
        close();
        const box = { x0, x1, y0: baseline - ASCENT * size, y1: baseline + DESCENT * size };
        // Between texts of both directions, the engine's spaces are not where they are drawn.
        const space = spaceBefore && !rightToLeft;
        const run = {
          ...box,
          ...look,
          text: '',
          baseline,
          size,
          rightToLeft,
          spaceBefore: space,
          ...(tag !== undefined && { tag }),
        };
        open = { run, turns, lastGlyph: '', glyphAt: x0, glyphs: [] };
      }
      open.lastGlyph += text;
      open.glyphAt = x0;
      spaceBefore = false;
    },
    finish() {
      close();
      return runs;
    },
  };
}

/** The engine reverses right-to-left text letter by letter, and so the letters of a glyph that stands for several. */
function endGlyph(open: OpenRun): void {
  const { run, lastGlyph, glyphAt: x0 } = open;
  const isReversed = run.rightToLeft && lastGlyph.length > 1 && !isInOrder(lastGlyph);
  const text = isReversed ? inOrder(lastGlyph) : lastGlyph;
  run.text += text;
  if (run.rightToLeft && text !== '') open.glyphs.push({ text, x0 });
  open.lastGlyph = '';
}

/** In a line of Latin letters, the engine reverses the letters between two vowel signs, and leaves the signs. */
const inOrder = (letters: string): string =>
  /^\P{M}+\p{M}/u.test(letters) ? letters.replaceAll(/\P{M}+/gu, reversed) : reversed(letters);
const isTorn = ({ rightToLeft, text }: Run): boolean =>
  rightToLeft && /\p{M}/u.test(text) && !/\p{N}|\s\S/u.test(text);

/** The letters of a word by their places, each with the signs above and below it. */
function fromTheRight({ glyphs }: OpenRun): string {
  const letters: string[] = [];
  const signLast = (text: string): number => (isSign(text) ? 1 : 0);
  for (const { text } of glyphs.toSorted((a, b) => a.x0 - b.x0 || signLast(a.text) - signLast(b.text)))
    if (isSign(text) && letters.length > 0) letters.push((letters.pop() ?? '') + text);
    else letters.push(text);
  return letters.toReversed().join('');
}

const isSign = (text: string): boolean => /^\p{M}/u.test(text);

/** Vowel signs may be drawn higher or lower than the letters of their word. */
const isAbove = ({ run, turns }: OpenRun, { x0, baseline, turns: own, size }: Letter): boolean =>
  turns === own && x0 >= run.x0 && x0 <= run.x1 && Math.abs(run.baseline - baseline) < size * SIGN_HEIGHT;

function goesOn(open: OpenRun, letter: Letter, rightToLeft: boolean): boolean {
  const { run, turns, lastGlyph, glyphAt } = open;
  const { size, look } = letter;
  const gap = rightToLeft ? run.x0 - letter.x1 : letter.x0 - run.x1;
  const overlap = letter.angle === 0 ? OVERLAP : OVERLAP_AT_ANGLE;
  const isWithin = rightToLeft && !run.text.includes(' ') && letter.x0 < run.x1 + GAP * size;
  const isNear = gap < GAP * size && (isWithin || gap > -(rightToLeft ? BACK : overlap) * size);
  return (
    (isNear || (letter.x0 === glyphAt && !isAccent(lastGlyph))) &&
    !(rightToLeft && isNextWord(open, letter)) &&
    turns === letter.turns &&
    run.tag === letter.tag &&
    run.rightToLeft === rightToLeft &&
    Math.abs(run.baseline - letter.baseline) < 0.05 * size &&
    Math.abs(run.size - size) < 0.01 * size &&
    run.bold === look.bold &&
    run.cut?.weight === look.cut?.weight &&
    run.italic === look.italic &&
    run.monospaced === look.monospaced
  );
}

/** In a line of Latin letters, the engine turns each word of a phrase by itself: the next one is to the right. */
const isNextWord = ({ run, glyphAt }: OpenRun, { x0, size }: Letter): boolean =>
  run.text.endsWith(' ') && x0 > glyphAt + size * NEXT_WORD && !/\p{N}/u.test(run.text);

/** Hebrew, Arabic and other scripts of that direction, and their presentation forms. */
export const isRightToLeft = (code: number): boolean =>
  (code >= 0x590 && code < 0x900) || (code >= 0xfb1d && code <= 0xfdff) || (code >= 0xfe70 && code <= 0xfefc);

/** Signs that take the direction of the text around them. */
const isNeutral = (code: number): boolean =>
  code < 0x30 ||
  (code > 0x39 && code < 0x41) ||
  (code > 0x5a && code < 0x61) ||
  (code > 0x7a && code < 0xc0) ||
  (code >= 0x2000 && code < 0x2c00);

/** The letters of Unicode's own Arabic ligatures, which the engine writes in order. */
const LIGATURES = new Set(
  [
    [0xfb50, 0xfdff],
    [0xfe70, 0xfefc],
  ].flatMap(([first = 0, last = 0]) =>
    Array.from({ length: last - first + 1 }, (_, at) => String.fromCodePoint(first + at).normalize('NFKC')),
  ),
);
const isInOrder = (letters: string): boolean => LIGATURES.has(letters) && !LIGATURES.has(reversed(letters));

const reversed = (text: string): string => [...text].toReversed().join('');
