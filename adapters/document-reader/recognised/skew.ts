import type { RecognisedWord } from '../document-reader.ts';
import { median } from '../layout/geometry.ts';

/** Steeper lines are not a scan laid askew. */
const MOST = 0.12;

/**
 * The slope of a page's lines, from words that follow each other. Bottoms of words differ by their descenders, so only
 * pairs with alike letters are compared.
 */
export function estimateSlope(words: readonly RecognisedWord[]): number {
  const slopes: number[] = [];
  for (const [index, word] of words.entries()) {
    const kind = hasDescender(word.text);
    const height = word.y1 - word.y0;
    for (const other of words.slice(index + 1, index + 16)) {
      // The next line begins on the side from which the words are read.
      const [left, right] = isRightToLeft(word.text) ? [other, word] : [word, other];
      if (right.x0 - left.x1 < height * 3) continue;
      if (hasDescender(other.text) !== kind || Math.abs(other.y1 - other.y0 - height) > height * 0.5)
        continue;
      const dy = right.y1 - left.y1;
      const slope = dy / (right.x1 - left.x1);
      if (Math.abs(slope) < MOST && Math.abs(dy) < height * 3) slopes.push(slope);
    }
  }
  return slopes.length < 12 ? 0 : median(slopes);
}

/** Letters, dots and marks below the line; of Arabic letters, most have some. */
export const hasDescender = (text: string): boolean => /[gjpqyçQ,;()[\]{}|بپجحخرزسشصضعغقمنويىئؤ]/u.test(text);

export const isRightToLeft = (text: string): boolean => /[\p{Script=Arabic}\p{Script=Hebrew}]/u.test(text);
