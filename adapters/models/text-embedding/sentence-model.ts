import type { Tensor } from '@huggingface/transformers';
import { loadTransformers, pretrainedOptions, type OnnxFiles } from '../../../engines/onnx/load.ts';
import { guarded } from '../../../engines/onnx/run-guard.ts';
import type { ModelRules, Pooling } from './model-rules.ts';

/** What the thread needs of a sentence model. */
export interface SentenceModelOptions
  extends OnnxFiles, Pick<ModelRules, 'pooling' | 'maxTokens' | 'dimension'> {}

/** Loads a sentence model, for threads only. @returns a function that embeds texts as unit vectors */
export async function loadSentenceModel(
  options: SentenceModelOptions,
): Promise<(texts: string[]) => Promise<number[][]>> {
  const { folder, pooling, maxTokens, dimension } = options;
  const { AutoModel, AutoTokenizer } = await loadTransformers();
  const tokenizer = await AutoTokenizer.from_pretrained(folder, { local_files_only: true });
  const model = await guarded(() => AutoModel.from_pretrained(folder, pretrainedOptions(options)));
  const embed = async (texts: string[]) => {
    const inputs = tokenizer(texts, { padding: true, truncation: true, max_length: maxTokens });
    const outputs = (await guarded(() => model(inputs))) as Record<string, Tensor>;
    return pool(outputs, inputs.attention_mask, pooling).map((vector) => unit(vector, dimension));
  };
  // Also finds weights that do not fit their config.json before the first text of a document.
  await embed(['.']);
  return embed;
}

/** One vector for each text: the model's own, or pooled from those of its tokens that are no padding. */
function pool(outputs: Record<string, Tensor>, mask: Tensor, pooling: Pooling): number[][] {
  const sentences = outputs['sentence_embedding'];
  if (sentences) return sentences.tolist() as number[][];
  const tokens = (outputs['last_hidden_state'] ?? outputs['token_embeddings'])?.tolist() as
    | number[][][]
    | undefined;
  if (tokens?.[0]?.[0]?.length === undefined)
    throw new Error(`the model answers ${Object.keys(outputs).join(', ')}, and no vectors of tokens`);
  const masks = mask.tolist() as (number | bigint)[][];
  return tokens.map((vectors, text) => {
    const own = vectors.filter((_, at) => Number(masks[text]?.[at]) === 1);
    if (pooling === 'cls') return own[0] ?? [];
    if (pooling === 'lasttoken') return own.at(-1) ?? [];
    return (own[0] ?? []).map(
      (_, axis) => own.reduce((sum, vector) => sum + (vector[axis] ?? 0), 0) / own.length,
    );
  });
}

function unit(vector: readonly number[], dimension: number): number[] {
  if (vector.length !== dimension || !vector.every(Number.isFinite))
    throw new Error(`the model answers ${vector.length} numbers where its config.json says ${dimension}`);
  const length = Math.hypot(...vector);
  return length === 0 ? [...vector] : vector.map((value) => value / length);
}
