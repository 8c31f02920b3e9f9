import { createRequire } from 'node:module';
import type * as Tinyld from 'tinyld';

/** Loads the profiles of the languages when needed: 50 MB, which most processes do not need. */
const require = createRequire(import.meta.url);

/** A longer sample does not improve detection, but takes longer: in full, a fifth of the time to read a page. */
const SAMPLE = 1_000;
/** A few words are often names. */
const FEWEST_LETTERS = 24;

/**
 * ISO 639-1 of a text; null if it is too short to detect.
 *
 * @param fewestLetters more for a text whose language can also be determined otherwise
 * @param among the languages that are possible; by default all
 */
export function detectLanguage(
  text: string,
  fewestLetters = FEWEST_LETTERS,
  among: readonly string[] = [],
): string | null {
  const sample = text.slice(0, SAMPLE).replaceAll(/[^\p{L}\p{M}'’ ]+/gu, ' ');
  if (sample.replaceAll(/\s/g, '').length < fewestLetters) return null;
  const { detect } = require('tinyld') as typeof Tinyld;
  const code = detect(sample, { only: [...among] });
  return /^[a-z]{2}$/.test(code) ? code : null;
}
