import { detect } from 'tinyld';
import type { Chunk } from '../../domain/documents/chunk.ts';
import { dictionaryOf } from '../../domain/documents/dictionaries.ts';

/** A shorter text says too little. */
const LEAST_LETTERS = 40;
const SAMPLE = 2000;

/** The ISO 639-1 language of a text; undefined where it cannot be told. */
export function detectLanguage(text: string): string | undefined {
  const letters = text.slice(0, SAMPLE).replaceAll(/[^\p{L}\s']+/gu, ' ');
  if (letters.trim().length < LEAST_LETTERS) return undefined;
  return detect(letters) || undefined;
}

/** A chunk, and the dictionary that search reads it by. */
export interface DividedChunk extends Chunk {
  dictionary: string;
}

/**
 * Gives chunks their dictionaries, by the language of each.
 *
 * @param language of the document, for chunks too short to tell
 */
export function withDictionaries(
  chunks: readonly Chunk[],
  language: string | null | undefined,
): DividedChunk[] {
  return chunks.map((chunk) => ({
    ...chunk,
    dictionary: dictionaryOf(detectLanguage(chunk.content) ?? language),
  }));
}
