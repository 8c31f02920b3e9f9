import type { PageRaster, RecognisedWord } from '../document-reader.ts';
import { turnBack } from './turn-raster.ts';

/** Minimum mean confidence of letters: upside down, it is below 50; for the worst readable scans, above 65. */
const LEGIBLE = 65;

/**
 * Recognises the words of a page whose lines are level but may be upside down: only if the confidence is low, the page
 * is turned and read again.
 *
 * @returns the words, and the image that their boxes refer to
 */
export async function recogniseUpright(
  raster: PageRaster,
  recognise: (raster: PageRaster) => Promise<RecognisedWord[]>,
): Promise<{ raster: PageRaster; words: RecognisedWord[] }> {
  const words = await recognise(raster);
  const sense = legibility(words);
  if (words.length === 0 || sense >= LEGIBLE) return { raster, words };
  const turned = turnBack(raster, 2);
  const other = await recognise(turned);
  return legibility(other) > sense ? { raster: turned, words: other } : { raster, words };
}

function legibility(words: readonly RecognisedWord[]): number {
  let letters = 0;
  let sum = 0;
  for (const { text, confidence } of words) {
    const count = text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
    letters += count;
    sum += count * confidence;
  }
  return letters === 0 ? 0 : sum / letters;
}
