import { ModelError } from '../../adapters/models/model-error.ts';
import type { VisionModels } from '../../adapters/models/vision/vision-models.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import type { Orm } from '../../db/create-orm.ts';
import { describeImage } from '../../services/processing/steps/describe-image.ts';
import { extractDomains } from '../../services/processing/steps/extract-domains.ts';
import type { FileTarget } from '../../services/processing/file-target.ts';
import { attempt, type FailureClass } from '../attempt.ts';

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
        ({ signal }) => describeImage({ em: orm.em.fork(), objects, models, provider }, target, signal),
        classifyFailure,
      ),

    extractDomains: (target: FileTarget): Promise<void> =>
      attempt(
        ({ signal }) => extractDomains({ em: orm.em.fork(), models, provider }, target, signal),
        classifyFailure,
      ),
  };
}

/**
 * Outages and rate limits are retried without limit; invalid replies are counted, since an endpoint may repeat them. A
 * model that has seen its errors is not asked again.
 */
function classifyFailure(error: unknown): FailureClass | undefined {
  if (!(error instanceof ModelError)) return undefined;
  const { code, message, retryAfterSeconds } = error;
  if (code === 'MODEL_REFUSED' || code === 'MODEL_INVALID_ANSWER')
    return { kind: 'permanent', code, message };
  if (code === 'MODEL_INVALID_REPLY') return { kind: 'counted', code, message };
  return { kind: 'retryable', code, message, retryAfterSeconds };
}
