import { createHash } from 'node:crypto';
import type { Chunk } from '../../domain/documents/chunk.ts';
import { dictionaryOf } from '../../domain/documents/dictionaries.ts';
import { nameUuid } from '../shared/ids.ts';
import { detectLanguage } from './detect-language.ts';

/** A chunk with what derives from it. */
export interface NewChunk extends Chunk {
  id: string;
  dictionary: string;
}

/**
 * Gives chunks their ids, which derive from their content and how often it occurred before, and their dictionaries.
 *
 * @param language of the document, for chunks too short to tell
 */
export function toChunks(
  fileId: string,
  chunks: readonly Chunk[],
  language: string | null | undefined,
): NewChunk[] {
  const seen = new Map<string, number>();
  return chunks.map((chunk) => {
    const path = chunk.headingPath.join('\n');
    const hash = createHash('sha256').update(`${path}\0${chunk.content}`).digest('hex');
    const occurrence = seen.get(hash) ?? 0;
    seen.set(hash, occurrence + 1);
    return {
      ...chunk,
      id: nameUuid(`${fileId}/${hash}/${occurrence}`),
      dictionary: dictionaryOf(detectLanguage(chunk.content) ?? language),
    };
  });
}
