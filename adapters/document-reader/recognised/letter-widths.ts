import { median } from '../layout/geometry.ts';

interface PlacedWord {
  text: string;
  x0: number;
  x1: number;
}

/** Parts of a font's size in most fonts without serifs: where learning begins. */
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
/** Part of its error that a word's letters learn from it. */
const PACE = 0.15;
/** Words farther off are of another font, or misread. */
const ALIKE = 0.15;
/** At least three letters, of a script whose letters have widths of their own; marks at the end count as well. */
const WORD = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]{3,}[.,:;]?$/u;

/**
 * Learns the widths of the letters of a page from its words. Heights are whole pixels and depend on which letters a word
 * has; the widths of a line's words tell its size four times as exactly.
 *
 * @returns the size of words relative to that of the page's text; undefined of too few letters
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
