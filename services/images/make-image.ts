import type { EntityManager } from '@mikro-orm/postgresql';
import type { ImageDecoder, RenderedImage } from '../../engines/image-decoder/image-decoder.ts';
import type { ImageEmbedding } from '../../adapters/models/image-embedding/image-embedding.ts';
import type { TextRecogniser } from '../../engines/text-recogniser/text-recogniser.ts';
import type { VisionModel } from '../../adapters/models/vision/vision-model.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import type { VectorIndex } from '../../adapters/vector-index/vector-index.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { FastPathResult } from '../../domain/fast-path.ts';
import type { ImageStep } from '../../domain/pipelines/image.ts';
import type { StepActivity } from '../../domain/pipelines/index.ts';
import type { VariantType } from '../../domain/image-analysis.ts';
import { imagePoints } from './index-images.ts';
import { removeDeleted } from '../media/index-entries.ts';
import { askForDescription, classifyImage } from './describe-image.ts';
import { describedBy, type StepResult } from '../processing/record-step.ts';
import { makeVariants, type FoundInImage } from './render-variants.ts';
import { visionInput } from './vision-input.ts';
import {
  runFastPath,
  type FastPathOptions,
  type FastPathSteps,
  type FastPathTarget,
} from '../processing/fast-path.ts';

export interface MakeImageDeps {
  em: EntityManager;
  objects: ObjectStore;
  decoder: ImageDecoder;
  recogniser: TextRecogniser;
  vision: VisionModel;
  embedding: ImageEmbedding;
  vectors: VectorIndex;
}

/**
 * The fast path of an image: one read of its bytes and one decode serve all steps. Images with text are left to the
 * recogniser's queue, descriptions by a remote model to that model's queue, and vectors of a learned model to the queue of
 * the index.
 *
 * @throws as runFastPath
 */
export function makeImage(
  deps: MakeImageDeps,
  target: FastPathTarget,
  options: FastPathOptions,
): Promise<FastPathResult> {
  const steps = (file: StoredFile) => imageSteps(deps, file, target.visionProvider, options.signal);
  return runFastPath(deps.em, target, steps, options);
}

type StepMaker = () => Promise<StepResult | undefined>;

const leave: StepMaker = () => Promise.resolve(undefined);

function imageSteps(
  deps: MakeImageDeps,
  file: StoredFile,
  visionProvider: string,
  signal: AbortSignal,
): FastPathSteps {
  const { recogniser, vision, embedding, vectors } = deps;
  const { id: fileId, tenantId } = file;
  const found: FoundInImage = {};
  let rendered: RenderedImage | undefined;
  let indexed = false;

  const image = (): RenderedImage => {
    if (!rendered) throw new Error('the image was used before it was rendered');
    return rendered;
  };
  const makers: Partial<Record<StepActivity, StepMaker>> = {
    async renderVariants() {
      const made = await makeVariants(deps, file, { signal, luminance: true, found });
      rendered = made.image;
      return made.result;
    },
    async readText() {
      const { luminance } = image();
      if (!luminance || (await recogniser.hasText(luminance, { tenantId, signal }))) return undefined;
      found.textRegions = [];
      return { changes: () => ({ visibleText: null }) };
    },
    async describeImage() {
      if (!vision.inProcess || vision.provider !== visionProvider || vision.isFast?.() === false)
        return undefined;
      const { facts, width, height } = image();
      const largest = () => Promise.resolve(variantOf(image(), 'large_1024'));
      const input = visionInput(file, { image: largest, facts, width, height });
      const classification = await classifyImage(vision, input, signal);
      const description = await askForDescription(vision, input, classification, signal);
      if (description.objects) found.detectedObjects = [...description.objects];
      return describedBy(file, description);
    },
    async indexImage() {
      if (!embedding.isFast) return undefined;
      const { bytes } = variantOf(image(), embedding.variant);
      const points = await imagePoints(embedding, [{ fileId, tenantId, bytes }], signal);
      indexed = true;
      await vectors.upsert(points);
      return {};
    },
    // Rarely requested, and run on a queue of their own.
    extractDomains: leave,
    extractBySchema: leave,
    checkCompliance: leave,
  } satisfies Record<ImageStep, StepMaker>;
  return {
    make: async (step) => makers[step]?.(),
    async discard() {
      if (indexed) await removeDeleted(deps, [{ fileId, tenantId }]);
    },
  };
}

function variantOf({ variants }: RenderedImage, type: VariantType) {
  const variant = variants.find((candidate) => candidate.type === type);
  if (!variant) throw new Error(`the decoder made no ${type}`);
  return variant;
}
