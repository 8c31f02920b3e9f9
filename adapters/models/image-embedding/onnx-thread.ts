/** The module of the thread of a pair of models for images and texts. */
import type { PreTrainedModel, Tensor } from '@huggingface/transformers';
import type { VariantType } from '../../../domain/image-analysis.ts';
import { unit } from '../../../domain/similarity.ts';
import type { Numbered } from '../../../engines/hosts/call-host.ts';
import { loadTransformers, pretrainedOptions, type OnnxFiles } from '../../../engines/onnx/load.ts';
import { guarded, useGuard, type RunGuard } from '../../../engines/onnx/run-guard.ts';
import { readPixels } from '../read-variant.ts';

export type Architecture = 'clip' | 'siglip';

/** What a thread needs of a pair in order to load one of its models. */
export type PairFiles = OnnxFiles & { architecture: Architecture };

export interface PairRequest {
  guard: RunGuard;
  files: PairFiles;
  input: ImageInput | { text: string };
}
interface ImageInput {
  images: readonly Uint8Array[];
  variant: VariantType;
}
/** In order; null for an image that cannot be read. */
export type PairReply = { vectors: (number[] | null)[] } | { error: string };

type Embed<Input> = (input: Input) => Promise<(number[] | null)[]>;

let images: Promise<Embed<ImageInput>> | undefined;
let texts: Promise<Embed<string>> | undefined;

export async function handle({ id, value }: Numbered<PairRequest>): Promise<Numbered<PairReply>> {
  return { id, value: await answer(value) };
}

async function answer({ guard, files, input }: PairRequest): Promise<PairReply> {
  useGuard(guard);
  try {
    if ('text' in input) return { vectors: await (await (texts ??= loadTextModel(files)))(input.text) };
    return { vectors: await (await (images ??= loadImageModel(files)))(input) };
  } catch (error) {
    return { error: String(error) };
  }
}

async function loadImageModel(files: PairFiles): Promise<Embed<ImageInput>> {
  const { AutoImageProcessor, CLIPVisionModelWithProjection, RawImage, SiglipVisionModel } =
    await loadTransformers();
  const Model = { clip: CLIPVisionModelWithProjection, siglip: SiglipVisionModel }[files.architecture];
  const prepare = await AutoImageProcessor.from_pretrained(files.folder, { local_files_only: true });
  const model = await guarded(() => Model.from_pretrained(files.folder, pretrainedOptions(files)));
  return async ({ images, variant }) => {
    const pixels = await Promise.all(images.map((image) => readPixels(image, variant)));
    const raw = pixels
      .filter((found) => found !== null)
      .map(({ data, info }) => new RawImage(data, info.width, info.height, info.channels));
    const vectors = raw.length > 0 ? await vectorsOf(model, await prepare(raw)) : [];
    return pixels.map((found) => found && (vectors.shift() ?? null));
  };
}

/** Texts as in training, besides lower case. Tokenizers of SigLIP name no length, or one without a bound. */
const TOKENS = {
  clip: { padding: true, max_length: 77 },
  siglip: { padding: 'max_length', max_length: 64 },
} as const;

async function loadTextModel(files: PairFiles): Promise<Embed<string>> {
  const { AutoTokenizer, CLIPTextModelWithProjection, SiglipTextModel } = await loadTransformers();
  const tokenize = await AutoTokenizer.from_pretrained(files.folder, { local_files_only: true });
  const Model = { clip: CLIPTextModelWithProjection, siglip: SiglipTextModel }[files.architecture];
  const model = await guarded(() => Model.from_pretrained(files.folder, pretrainedOptions(files)));
  const options = { ...TOKENS[files.architecture], truncation: true } as const;
  return async (text) => vectorsOf(model, tokenize([text.toLowerCase()], options));
}

async function vectorsOf(model: PreTrainedModel, input: object): Promise<number[][]> {
  const output = (await guarded(() => model(input) as Promise<unknown>)) as Readonly<Record<string, Tensor>>;
  // CLIP projects the outputs of its models, SigLIP pools them.
  const vectors = output['image_embeds'] ?? output['text_embeds'] ?? output['pooler_output'];
  if (!vectors)
    throw new Error(`the model has no vector among its outputs ${Object.keys(output).join(', ')}`);
  return (vectors.tolist() as number[][]).map(unit);
}
