import type { ImageDecoder } from '../engines/image-decoder/image-decoder.ts';
import type { VisionModels } from '../adapters/models/vision/vision-models.ts';
import type { ObjectStore } from '../adapters/object-store/object-store.ts';
import type { Orm } from '../db/create-orm.ts';
import { describeImage } from '../services/images/describe-image.ts';
import { checkCompliance } from '../services/images/check-compliance.ts';
import { extractDomains } from '../services/images/extract-domains.ts';
import { describeVideo } from '../services/videos/describe-video.ts';
import type { FileTarget } from '../services/processing/file-target.ts';
import { attempt, type FailureClass } from './attempt.ts';
import { classifyModelFailure, classifyImageFailure } from './classify-failures.ts';

export interface VisionDeps {
  orm: Orm;
  objects: ObjectStore;
  decoder: ImageDecoder;
  models: VisionModels;
}

/** Model calls, on the queue of a provider. */
export function createVisionActivities({ orm, objects, decoder, models }: VisionDeps, provider: string) {
  return {
    describeImage: (target: FileTarget): Promise<void> =>
      attempt(
        (controls) => describeImage({ em: orm.em.fork(), objects, models, provider }, target, controls),
        classifyModelFailure,
      ),

    describeVideo: (target: FileTarget): Promise<void> =>
      attempt(
        (controls) =>
          describeVideo({ em: orm.em.fork(), objects, decoder, models, provider }, target, controls),
        classifyFailure,
      ),

    extractDomains: (target: FileTarget): Promise<void> =>
      attempt(
        (controls) =>
          extractDomains({ em: orm.em.fork(), objects, decoder, models, provider }, target, controls),
        classifyFailure,
      ),

    checkCompliance: (target: FileTarget): Promise<void> =>
      attempt(
        (controls) =>
          checkCompliance({ em: orm.em.fork(), objects, decoder, models, provider }, target, controls),
        classifyFailure,
      ),
  };
}

/** Includes image failures, since these activities also decode the image. */
function classifyFailure(error: unknown): FailureClass | undefined {
  return classifyModelFailure(error) ?? classifyImageFailure(error);
}
