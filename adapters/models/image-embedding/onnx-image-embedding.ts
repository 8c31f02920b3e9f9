import { createSemaphore } from '../../semaphore.ts';
import { createCallHost } from '../../../engines/hosts/call-host.ts';
import { ModelError } from '../model-error.ts';
import type { OnnxConfig } from '../../../engines/onnx/config.ts';
import { openModel, OnnxModelError } from '../../../engines/onnx/open-model.ts';
import { startModelThread } from '../../../engines/onnx/run-guard.ts';
import type { ImageEmbedding } from './image-embedding.ts';
import type { Architecture, PairFiles, PairReply, PairRequest } from './onnx-thread.ts';

/** Architectures, with the vectors' dimensions of those whose config.json names none: the defaults of the library. */
const ARCHITECTURES = {
  clip: ({ projection_dim: dimension }: Definition) => dimension ?? 512,
  siglip: ({ vision_config: vision }: Definition) =>
    (vision as Definition | undefined)?.['hidden_size'] ?? 768,
} as const satisfies Record<Architecture, unknown>;
type Definition = Readonly<Record<string, unknown>>;

/** Images per request, so that a query does not wait long behind a page of images. */
const IMAGES_A_REQUEST = 2;
/** A thread that takes longer, also to load its model first, is considered hung. */
const ANSWERS_WITHIN_MS = 180_000;
const VARIANT = 'medium_750';
const MODULE = new URL('./onnx-thread.ts', import.meta.url);

/**
 * A pair of models, for images and for texts, whose vectors are comparable: CLIP or SigLIP. Each is loaded into a thread
 * with its first call.
 *
 * @throws OnnxModelError for files that are not of such a pair
 */
export async function openImagePair(
  setting: string,
  config: OnnxConfig,
): Promise<ImageEmbedding & { embedText: NonNullable<ImageEmbedding['embedText']> }> {
  const opened = await openModel(setting, ['vision_model', 'text_model'], config);
  const { folder, weights, name, sha256 } = opened;
  const { architecture, dimension } = describePair(folder, (await opened.read('config.json')) ?? {});
  for (const needed of ['preprocessor_config.json', 'tokenizer_config.json']) {
    if (!(await opened.read(needed)))
      throw new OnnxModelError(`${folder} has no ${needed}: fetch all files of the model`);
  }

  const calls = createCallHost<PairRequest, PairReply>(
    () => startModelThread({ module: MODULE, quiet: true }),
    ANSWERS_WITHIN_MS,
  );
  // A session uses one core, and each image takes memory. What is aborted while it waits never runs.
  const turns = createSemaphore(1);
  const files: PairFiles = { folder, weights, architecture };

  async function request(input: PairRequest['input'], signal: AbortSignal): Promise<(number[] | null)[]> {
    await turns.acquire(signal);
    const reply = await calls
      .call({ files, input })
      .catch((error: unknown) => {
        throw new ModelError('MODEL_UNAVAILABLE', 'the image model ended', { cause: error });
      })
      .finally(() => turns.release());
    if ('error' in reply) {
      throw new ModelError('MODEL_UNAVAILABLE', 'the image model failed', { cause: new Error(reply.error) });
    }
    const wrong = reply.vectors.find((vector) => vector && vector.length !== dimension);
    if (!wrong) return reply.vectors;
    // Affects every image until another model is configured.
    throw new ModelError(
      'MODEL_UNAVAILABLE',
      `the image model answered ${wrong.length} dimensions where its config.json says ${dimension}`,
    );
  }

  return {
    // Of the hash, since a replaced file is another model.
    model: `${name}-${sha256.slice(0, 12)}`,
    dimension,
    variant: VARIANT,
    isFast: false,
    async embed(images, { signal }) {
      const vectors: (number[] | null)[] = [];
      for (let first = 0; first < images.length; first += IMAGES_A_REQUEST) {
        const some = images.slice(first, first + IMAGES_A_REQUEST);
        vectors.push(...(await request({ images: some, variant: VARIANT }, signal)));
      }
      return vectors;
    },
    async embedText(text, { signal }) {
      const [vector] = await request({ text }, signal);
      return vector ?? [];
    },
    close: () => calls.kill(),
  };
}

function describePair(
  folder: string,
  definition: Definition,
): { architecture: Architecture; dimension: number } {
  const type = String(definition['model_type']);
  if (!Object.hasOwn(ARCHITECTURES, type))
    throw new OnnxModelError(
      `${folder} is a model of the type ${type}: name the folder of a CLIP or SigLIP model with its ONNX files`,
    );
  const architecture = type as Architecture;
  const dimension = ARCHITECTURES[architecture](definition);
  if (typeof dimension === 'number' && Number.isInteger(dimension) && dimension > 0 && dimension <= 8192)
    return { architecture, dimension };
  throw new OnnxModelError(`${folder} states no usable dimension of its vectors in config.json`);
}
