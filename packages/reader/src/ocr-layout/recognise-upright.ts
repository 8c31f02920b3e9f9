import type { PageRaster, RecognisedWord } from '../opened-document.ts';
import type { QuarterTurns } from '../layout/geometry.ts';
import { mostInkedPart } from './most-inked-part.ts';
import { straighten } from './straighten.ts';
import { turnBack } from './turn-raster.ts';

/** Minimum mean confidence of letters: upside down, it is below 50; for the worst readable scans, above 65. */
const LEGIBLE = 65;
/** Letters of a part that are too few to trust their confidence. */
const FEWEST_LETTERS = 8;

/** A page whose text is turned clockwise by some quarters, upright and level. */
export function turnUpright(raster: PageRaster, turns: QuarterTurns): PageRaster {
  return turns === 0 ? raster : straighten(turnBack(raster, turns));
}

/**
 * Recognises the words of a page that was turned by the shape of its lines, and by a model where it is sure, which may be wrong
 * about the direction: only if the confidence is low, its most inked part is tried in the other three turns, and the
 * page is read again in the one that is clearly better. A page of a few letters shows neither lines nor a model how it
 * lies: it is read as it is shown, too.
 *
 * @returns the words, and the image that their boxes refer to
 */
export async function recogniseUpright(
  raster: PageRaster,
  recognise: (raster: PageRaster) => Promise<RecognisedWord[]>,
): Promise<{ raster: PageRaster; words: RecognisedWord[] }> {
  const words = await recognise(raster);
  let read = { raster, words };
  if (raster.turns !== 0 && lettersOf(words) < FEWEST_LETTERS) {
    const shown = turnUpright(raster, ((4 - raster.turns) % 4) as QuarterTurns);
    const other = await recognise(shown);
    if (senseOf(other) >= senseOf(words)) read = { raster: shown, words: other };
  }
  const sense = legibility(read.words);
  const part = sense >= LEGIBLE ? undefined : mostInkedPart([raster]);
  if (!part) return read;
  let best: { turns: QuarterTurns; sense: number } = { turns: 0, sense };
  for (const turns of [2, 1, 3] as const) {
    const found = await recognise(turnUpright(part, turns));
    if (lettersOf(found) >= FEWEST_LETTERS && legibility(found) > best.sense)
      best = { turns, sense: legibility(found) };
    if (best.sense >= LEGIBLE) break;
  }
  if (best.turns === 0) return read;
  const turned = turnUpright(raster, best.turns);
  const other = await recognise(turned);
  return legibility(other) > sense ? { raster: turned, words: other } : read;
}

const lettersOf = (words: readonly RecognisedWord[]): number =>
  words.reduce((sum, { text }) => sum + letters(text), 0);

function legibility(words: readonly RecognisedWord[]): number {
  const total = lettersOf(words);
  return total === 0 ? 0 : senseOf(words) / total;
}

const senseOf = (words: readonly RecognisedWord[]): number =>
  words.reduce((all, { text, confidence }) => all + letters(text) * confidence, 0);

const letters = (text: string): number => text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
