import type { PageRaster, RecognisedWord } from '../document-reader.ts';
import { turnBack } from './turn-raster.ts';

/** Mean confidence of the letters: upside down, it is below 50; of the worst scans that can be read, above 65. */
const LEGIBLE = 65;

/**
 * Recognises the words of a page whose lines run level but may be upside down: only where what is read makes little sense
 * is the page turned and read again.
 *
 * @returns the words, and the image on which they lie
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
