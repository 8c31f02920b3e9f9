import { createHash } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unit } from '../../../domain/similarity.ts';
import { unlessAborted } from '../../../engines/unless-aborted.ts';
import { ModelError } from '../model-error.ts';
import { OBJECT_NAMES } from '../sight/find-objects.ts';
import { CLASS_NAMES, classProbabilities } from '../sight/image-classes.ts';
import { SEEN_VARIANT, type Sight } from '../sight/sight.ts';
import type { Seen } from '../sight/thread.ts';
import { PAIR, pairParts } from '../text-embedding/paired-models.ts';
import type { TextEmbedding } from '../text-embedding/text-embedding.ts';
import type { ImageEmbedding } from './image-embedding.ts';

/** Identifies the vectors. */
export const SIGHT_MODEL = 'efficientnet-lite2-names-v1';
const FEATURES = 1280;
const SENTENCES = pairParts(Array.from({ length: PAIR.dimension }, () => 0)).length;
/** What anything in an image can be called: classes, groups of them, and objects. */
const CONTENT_NAMES: readonly string[] = [...CLASS_NAMES, ...OBJECT_NAMES];
const CLASSES = 1000;
/** Of groups and objects, whose names also are those of classes. */
const COARSE = 0.5;
/** Of the similarity of two images, the part of what they are called. More finds fewer of the same kind. */
const NAMED = 0.25;
/** Chosen on development queries; see decision 682. */
const NEAR = 0.56;
/** Share of its own length that a vector of names keeps for a query in another language, which has no part by the English model. */
const WITHOUT_ENGLISH = 2 / 3;

/**
 * What the models of the service see in an image: the features by which the classifier tells its classes apart, and the mean of
 * the sentence vectors of all names of classes and objects by their probabilities, which a query is compared with.
 *
 * @param sentences the pair of models for texts, which stays open
 * @param folder    where the vectors of the names are kept for the next process, if it can be written to
 */
export function createSightEmbedding(
  sight: Sight,
  sentences: Pick<TextEmbedding, 'embed'>,
  folder?: string,
): ImageEmbedding {
  let loading: Promise<Float32Array[]> | undefined;
  /** No caller that leaves ends it for the others. */
  const nameVectors = (): Promise<Float32Array[]> =>
    (loading ??= keptVectors(folder, embedNames).catch((error: unknown) => {
      loading = undefined;
      throw error;
    }));
  const embedNames = async () => {
    const { signal } = new AbortController();
    // Names and queries are both short, so they are embedded alike.
    return (await sentences.embed(CONTENT_NAMES, { role: 'query', signal })).flatMap(pairParts);
  };

  return {
    model: SIGHT_MODEL,
    dimension: FEATURES + SENTENCES,
    variant: SEEN_VARIANT,
    isFast: false,
    near: NEAR,
    mostSimilar: (text) => Math.sqrt(NAMED * (isEnglish(text) ? 1 : WITHOUT_ENGLISH)),
    async embed(images, { signal }) {
      const vectors: (number[] | null)[] = [];
      for (const image of images) {
        const seen = await sight.recall(image, { signal });
        if (seen === undefined) throw new ModelError('MODEL_UNAVAILABLE', 'the image model does not run');
        if (seen === null) {
          vectors.push(null);
          continue;
        }
        const named = weightedSum(await unlessAborted(nameVectors(), signal), contentWeights(seen));
        vectors.push([
          ...scaled(unit([...seen.features]), Math.sqrt(1 - NAMED)),
          ...scaled(unit(named), Math.sqrt(NAMED)),
        ]);
      }
      return vectors;
    },
    async embedText(text, { signal }) {
      const [vector = []] = await sentences.embed([text], { role: 'query', signal });
      return [...Array.from({ length: FEATURES }, () => 0), ...unit(pairParts(vector))];
    },
    close: () => sight.close(),
  };
}

/** The vectors of {@link CONTENT_NAMES}, which cost 4 to 7 seconds of processor time, from a file if there is one. */
async function keptVectors(
  folder: string | undefined,
  embed: () => Promise<number[]>,
): Promise<Float32Array[]> {
  const names = createHash('sha256').update(JSON.stringify([PAIR.model, SIGHT_MODEL, CONTENT_NAMES]));
  const file = folder && join(folder, `content-names-${names.digest('hex').slice(0, 16)}`);
  const kept = file ? await readFile(file).catch(() => undefined) : undefined;
  const isWhole = kept?.length === CONTENT_NAMES.length * SENTENCES * Float32Array.BYTES_PER_ELEMENT;
  const values = isWhole ? new Float32Array(new Uint8Array(kept).buffer) : new Float32Array(await embed());
  if (file && !isWhole) {
    const part = `${file}.${process.pid}`;
    // Where that fails, the next process embeds them again.
    await writeFile(part, values)
      .then(() => rename(part, file))
      .catch(() => undefined);
  }
  return CONTENT_NAMES.map((_, at) => values.subarray(at * SENTENCES, (at + 1) * SENTENCES));
}

const isEnglish = (text: readonly number[]): boolean => text[FEATURES] !== 0;
const scaled = (vector: readonly number[], factor: number): number[] => vector.map((value) => value * factor);

function weightedSum(vectors: readonly Float32Array[], weights: ArrayLike<number>): number[] {
  const sum = Array.from({ length: SENTENCES }, () => 0);
  for (const [at, vector] of vectors.entries()) {
    const weight = weights[at] ?? 0;
    for (const [axis, value] of vector.entries()) sum[axis] = (sum[axis] ?? 0) + weight * value;
  }
  return sum;
}

/** How much each of {@link CONTENT_NAMES} says of what was seen. */
function contentWeights({ probabilities, objects }: Pick<Seen, 'probabilities' | 'objects'>): number[] {
  const scores = new Map(objects.toReversed().map(({ label, score }) => [label, score]));
  return [
    ...classProbabilities(probabilities).map((value, at) => (at < CLASSES ? value : COARSE * value)),
    ...OBJECT_NAMES.map((name) => COARSE * (scores.get(name) ?? 0)),
  ];
}
