import type { VisionModels } from '../../adapters/models/vision/vision-models.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import type { Orm } from '../../db/create-orm.ts';
import { describeImage } from '../../services/processing/steps/describe-image.ts';
import { extractDomains } from '../../services/processing/steps/extract-domains.ts';
import type { FileTarget } from '../../services/processing/file-target.ts';
import { attempt } from '../attempt.ts';
import { classifyModelFailure } from '../failures/classify-model-failure.ts';

export interface VisionDeps {
  orm: Orm;
  objects: ObjectStore;
  models: VisionModels;
}

/** Model calls, on the queue of a provider. */
export function createVisionActivities({ orm, objects, models }: VisionDeps, provider: string) {
  return {
    describeImage: (target: FileTarget): Promise<void> =>
      attempt(
        (controls) => describeImage({ em: orm.em.fork(), objects, models, provider }, target, controls),
        classifyModelFailure,
      ),

    extractDomains: (target: FileTarget): Promise<void> =>
      attempt(
        ({ signal }) => extractDomains({ em: orm.em.fork(), models, provider }, target, signal),
        classifyModelFailure,
      ),
  };
}
