import type { Chunk } from '../../domain/documents/split-element.ts';
import { dictionaryOf } from '../../domain/documents/dictionaries.ts';
import { type DetectLanguage, languageOfPart } from './text-language.ts';
import { detectLanguage } from 'darkroom-reader/language';

/** A chunk and its search dictionary. */
export interface DividedChunk extends Chunk {
  dictionary: string;
}

/** Language detection by letters. */
export const detectByLetters: DetectLanguage = (text, among) => detectLanguage(text, undefined, among);

/**
 * Assigns dictionaries to the chunks of a document: that of its language, except for chunks clearly in another.
 *
 * @param language of the document
 */
export function withDictionaries(chunks: readonly Chunk[], language: string | null): DividedChunk[] {
  return chunks.map((chunk) => ({
    ...chunk,
    dictionary: dictionaryOf(languageOfPart(chunk.content, language, detectByLetters)),
  }));
}
