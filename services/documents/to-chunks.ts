import { createHash } from 'node:crypto';
import type { DividedChunk } from '../../adapters/text-work/languages.ts';
import { nameUuid } from '../shared/ids.ts';

/** A chunk with its id. */
export interface NewChunk extends DividedChunk {
  id: string;
}

/** Gives chunks their ids, which derive from their content and how often it occurred before. */
export function toChunks(fileId: string, chunks: readonly DividedChunk[]): NewChunk[] {
  const seen = new Map<string, number>();
  return chunks.map((chunk) => {
    const path = chunk.headingPath.join('\n');
    const hash = createHash('sha256').update(`${path}\0${chunk.content}`).digest('hex');
    const occurrence = seen.get(hash) ?? 0;
    seen.set(hash, occurrence + 1);
    return { ...chunk, id: nameUuid(`${fileId}/${hash}/${occurrence}`) };
  });
}
