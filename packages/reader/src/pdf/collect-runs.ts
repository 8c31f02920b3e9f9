import type { QuarterTurns } from '../layout/geometry.ts';
import type { Run } from '../layout/page-parts.ts';
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

/** A run to which characters are added, of which the letters of the last glyph stand apart. */
interface OpenRun {
  run: Run;
  turns: QuarterTurns;
  lastGlyph: string;
  glyphAt: number;
}

/** Joins the characters of a line, in logical order, to runs of one font. */
export function createRunCollector() {
  const runs: [Run[], Run[], Run[], Run[]] = [[], [], [], []];
  let open: OpenRun | undefined;
  let spaceBefore = false;
  function close(): void {
    if (!open) return;
    endGlyph(open);
    open.run.text = open.run.text.trimEnd();
    runs[open.turns].push(open.run);
    open = undefined;
  }
  return {
    /** The engine also ends lines before superscripts, so that a space does not follow from it. */
    endLine: close,
    /** @param isOfPage whether the page has it; the engine adds others, also before superscripts */
    addSpace(isOfPage: boolean) {
      if (open) {
        endGlyph(open);
        open.run.text += ' ';
      }
      spaceBefore ||= isOfPage;
    },
    add(code: number, letter: Letter | undefined) {
      if (!letter) return;
      const { x0, x1, baseline, size, turns, look } = letter;
      const rightToLeft =
        isRightToLeft(code) || (isNeutral(code) && open?.run.rightToLeft === true && x0 < open.run.x0);
      const text = String.fromCodePoint(code);
      if (open && goesOn(open, letter, rightToLeft)) {
        if (open.glyphAt !== x0) endGlyph(open);
        open.run.x0 = Math.min(open.run.x0, x0);
        open.run.x1 = Math.max(open.run.x1, x1);
      } else {
        close();
        const box = { x0, x1, y0: baseline - ASCENT * size, y1: baseline + DESCENT * size };
        // Between texts of both directions, the engine's spaces are not where they are drawn.
        const space = spaceBefore && !rightToLeft;
        const run = { ...box, ...look, text: '', baseline, size, rightToLeft, spaceBefore: space };
        open = { run, turns, lastGlyph: '', glyphAt: x0 };
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
  const { run, lastGlyph } = open;
  const isReversed = run.rightToLeft && lastGlyph.length > 1 && !isInOrder(lastGlyph);
  run.text += isReversed ? reversed(lastGlyph) : lastGlyph;
  open.lastGlyph = '';
}

function goesOn({ run, turns, lastGlyph, glyphAt }: OpenRun, letter: Letter, rightToLeft: boolean): boolean {
  const { size, look } = letter;
  const gap = rightToLeft ? run.x0 - letter.x1 : letter.x0 - run.x1;
  const overlap = letter.angle === 0 ? OVERLAP : OVERLAP_AT_ANGLE;
  const isNear = gap < GAP * size && gap > -(rightToLeft ? BACK : overlap) * size;
  return (
    (isNear || (letter.x0 === glyphAt && !isAccent(lastGlyph))) &&
    turns === letter.turns &&
    run.rightToLeft === rightToLeft &&
    Math.abs(run.baseline - letter.baseline) < 0.05 * size &&
    Math.abs(run.size - size) < 0.01 * size &&
    run.bold === look.bold &&
    run.italic === look.italic &&
    run.monospaced === look.monospaced
  );
}

/** Hebrew, Arabic and other scripts of that direction, and their presentation forms. */
const isRightToLeft = (code: number): boolean =>
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
