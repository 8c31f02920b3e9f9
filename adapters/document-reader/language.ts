import { detect } from 'tinyld';

/** More text makes no better guess, and the guess takes as long as the text: a fifth of reading a page was this. */
const SAMPLE = 1_000;
/** A few words are often names. */
const FEWEST_LETTERS = 24;

/**
 * ISO 639-1 of a text; null where it is too short to tell.
 *
 * @param fewestLetters more for a text whose language can also be told otherwise
 */
export function detectLanguage(text: string, fewestLetters = FEWEST_LETTERS): string | null {
  const sample = text.slice(0, SAMPLE).replaceAll(/[^\p{L}\p{M}'’ ]+/gu, ' ');
  if (sample.replaceAll(/\s/g, '').length < fewestLetters) return null;
  const code = detect(sample);
  return /^[a-z]{2}$/.test(code) ? code : null;
}
