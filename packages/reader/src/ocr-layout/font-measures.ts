import type { PageRaster, RecognisedWord } from '../opened-document.ts';
import { median } from '../layout/geometry.ts';
import { hasDescender } from './straighten.ts';

/** Letter heights as shares of the font size, in most Latin fonts. */
const CAPITAL = 0.71;
const X_HEIGHT = 0.52;
const DESCENDER = 0.21;
/** The same for Arabic: letters like alif, and the others. */
const ALIF = 0.78;
const TOOTH = 0.52;

/** The font size of a word, from the height of its box and its letters. */
export function fontSize(text: string, height: number): number {
  const below = hasDescender(text) ? DESCENDER : 0;
  if (/\p{Script=Arabic}/u.test(text)) return height / ((/[اأإآلكطظ]/u.test(text) ? ALIF : TOOTH) + below);
  const tall = /[\p{Lu}\p{Nd}bdfhklß%&?!/()[\]{}|$€£]/u.test(text);
  const rising = /[tiéèáàäöüíóúñâêô]/u.test(text);
  const above = tall ? CAPITAL : rising ? 0.66 : X_HEIGHT;
  return height / (above + below);
}

/** The baseline of a word: descenders extend below it. */
export function baselineOf(text: string, bottom: number, size: number): number {
  return hasDescender(text) ? bottom - DESCENDER * size : bottom;
}

interface PlacedWord {
  text: string;
  x0: number;
  x1: number;
}

/** Initial letter widths, as shares of the font size in most fonts without serifs. */
const USUAL: readonly [letters: string, width: number][] = [
  ['ijl', 0.22],
  ['ftI.,:;', 0.28],
  ['r', 0.33],
  ['ckJsvxyz', 0.5],
  ['FTZ', 0.61],
  ['ABEKPSVXY', 0.67],
  ['wCDHNRU', 0.72],
  ['GOQ', 0.78],
  ['mM', 0.83],
  ['W', 0.94],
];
const OTHER = 0.55;
const ROUNDS = 6;
/** Share of a word's error by which its letters are corrected. */
const PACE = 0.15;
/** Words that deviate more are of another font, or misread. */
const ALIKE = 0.15;
/** At least three letters of a script with proportional widths, with an optional trailing mark. */
const WORD = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]{3,}[.,:;]?$/u;

/**
 * Learns the letter widths of a page from its words. Heights are whole pixels and depend on a word's letters; the
 * widths of a line's words are four times as exact.
 *
 * @returns the size of words relative to that of the page's text; undefined for too few letters
 */
export function learnLetterWidths(
  page: readonly PlacedWord[],
): (words: readonly PlacedWord[]) => number | undefined {
  const widths = new Map(USUAL.flatMap(([letters, width]) => [...letters].map((letter) => [letter, width])));
  const widthOf = (letter: string): number => widths.get(letter) ?? OTHER;
  const expected = (text: string): number => [...text].reduce((sum, letter) => sum + widthOf(letter), 0);
  const scaleOf = (words: readonly PlacedWord[]): number =>
    words.reduce((sum, { x0, x1 }) => sum + x1 - x0, 0) /
    words.reduce((sum, { text }) => sum + expected(text), 0);
  const whole = page.filter(isWord);
  const usual = (): number => median(whole.map((word) => scaleOf([word])));
  for (let round = 0; round < ROUNDS; round++) {
    const scale = usual();
    for (const word of whole) {
      const error = scaleOf([word]) / scale;
      if (Math.abs(error - 1) > ALIKE) continue;
      for (const letter of word.text) widths.set(letter, widthOf(letter) * error ** PACE);
    }
  }
  const scale = usual();
  return (words) => {
    const some = words.filter(isWord);
    return some.length === 0 || scale === 0 ? undefined : scaleOf(some) / scale;
  };
}

const isWord = ({ text }: PlacedWord): boolean => WORD.test(text);

/** Mean length of the dark runs across a word, in pixels: bold letters are drawn with wider strokes. */
export function strokeWidth({ grey, width, height }: PageRaster, word: RecognisedWord): number {
  const [x0, x1] = [Math.max(0, Math.floor(word.x0)), Math.min(width, Math.ceil(word.x1))];
  const [y0, y1] = [Math.max(0, Math.floor(word.y0)), Math.min(height, Math.ceil(word.y1))];
  const threshold = middleOf(grey, width, x0, x1, y0, y1);
  let dark = 0;
  let runs = 0;
  for (let y = y0; y < y1; y++) {
    let inside = false;
    for (let x = x0; x < x1; x++) {
      const isDark = (grey[y * width + x] ?? 255) < threshold;
      if (isDark) dark += 1;
      if (isDark && !inside) runs += 1;
      inside = isDark;
    }
  }
  return runs === 0 ? 0 : dark / runs;
}

/** Midpoint between the darkest and the lightest pixel. */
function middleOf(grey: Uint8Array, width: number, x0: number, x1: number, y0: number, y1: number): number {
  let [least, most] = [255, 0];
  for (let y = y0; y < y1; y++) {
    for (let x = x0; x < x1; x++) {
      const value = grey[y * width + x] ?? 255;
      least = Math.min(least, value);
      most = Math.max(most, value);
    }
  }
  return (least + most) / 2;
}
