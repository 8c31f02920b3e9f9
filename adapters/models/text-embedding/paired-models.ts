import type * as OnnxRuntime from 'onnxruntime-node';
import type { SentenceModels } from '../../../engines/models/catalogue.ts';
import { isLikelyEnglish } from '../../../engines/text-work/text-language.ts';
import type { TextRole } from './text-embedding.ts';

/** Lengths of the vectors of the models. */
const ENGLISH = 384;
const MULTILINGUAL = 512;

/**
 * all-MiniLM-L6-v2 compares English questions with English texts, the multilingual Universal Sentence Encoder all others.
 * A vector has three parts: English by the first model, English by the second, other languages by the second. A text leaves
 * the parts of the other languages empty; a question fills those by which texts of each kind are compared with it.
 */
export const PAIR = {
  model: 'minilm-l6-use-multilingual-v1',
  dimension: ENGLISH + 2 * MULTILINGUAL,
  language: undefined,
  mostSimilar: 1 / Math.sqrt(3),
  weight: { withoutWords: 5, withWords: 0.6, near: 0.13, unrelated: 0.08 },
} as const;

/** Loads both models, for threads only. @returns a function that embeds texts as unit vectors */
export async function loadPair(
  folders: SentenceModels,
  runtime: typeof OnnxRuntime,
): Promise<(texts: readonly string[], role: TextRole) => Promise<number[][]>> {
  // Loaded here: other processes need only the description of the pair.
  const { loadMinilm, loadMultilingual } = await import('../../../engines/text-models/sentence-encoders.ts');
  const inEnglish = await loadMinilm(folders.english, runtime);
  const inAny = await loadMultilingual(folders.multilingual, runtime);

  async function embed(text: string, role: TextRole): Promise<number[]> {
    const any = await inAny(text);
    const vector = new Float32Array(PAIR.dimension);
    if (!isLikelyEnglish(text)) {
      vector.set(any, ENGLISH + MULTILINGUAL);
      // Texts in both languages are equally near.
      if (role === 'query') vector.set(scaled(any, Math.SQRT2), ENGLISH);
    } else if (role === 'query') {
      vector.set(scaled(await inEnglish(text), Math.SQRT2));
      vector.set(any, ENGLISH + MULTILINGUAL);
    } else {
      vector.set(await inEnglish(text));
      vector.set(any, ENGLISH);
    }
    // Without a piece that the models know, a text is similar to nothing.
    const length = Math.hypot(...vector) || 1;
    return Array.from(vector, (value) => value / length);
  }

  return async (texts, role) => {
    const vectors: number[][] = [];
    for (const text of texts) vectors.push(await embed(text, role));
    return vectors;
  };
}

/**
 * Of a text that was embedded as a query, the part by the English model and that by the other one, to be compared with others
 * of this kind. The first counts half as much as the second: a single word of another language passes for English.
 */
export const pairParts = (vector: readonly number[]): number[] => [
  ...vector.slice(0, ENGLISH).map((value) => value / 2),
  ...vector.slice(ENGLISH + MULTILINGUAL),
];

function scaled(vector: Float32Array, factor: number): Float32Array {
  return vector.map((value) => value * factor);
}
