import { detect } from 'tinyld';

/** A shorter text says too little. */
const LEAST_LETTERS = 40;
const SAMPLE = 2000;

/** The ISO 639-1 language of a text; undefined where it cannot be told. */
export function detectLanguage(text: string): string | undefined {
  const letters = text.slice(0, SAMPLE).replaceAll(/[^\p{L}\s']+/gu, ' ');
  if (letters.trim().length < LEAST_LETTERS) return undefined;
  return detect(letters) || undefined;
}
