import type { Chunk } from '../../domain/documents/split-element.ts';
import { dictionaryOf } from '../../domain/documents/dictionaries.ts';
import { detectLanguage } from '../document-reader/language.ts';

/** A shorter chunk gets the language of its document. */
const FEWEST_LETTERS = 33;

/** A chunk and its search dictionary. */
export interface DividedChunk extends Chunk {
  dictionary: string;
}

/**
 * Assigns dictionaries to chunks by the language of each.
 *
 * @param language of the document, for chunks too short to detect one
 */
export function withDictionaries(
  chunks: readonly Chunk[],
  language: string | null | undefined,
): DividedChunk[] {
  return chunks.map((chunk) => ({
    ...chunk,
    dictionary: dictionaryOf(detectLanguage(chunk.content, FEWEST_LETTERS) ?? language),
  }));
}
