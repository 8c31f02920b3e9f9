import { Context } from '@temporalio/activity';
import { ModelError } from '../../adapters/models/vision/model-error.ts';
import type { VisionModel } from '../../adapters/models/vision/vision-model.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import type { Orm } from '../../db/create-orm.ts';
import { describeImage } from '../../services/describe-image.ts';
import { FileGone } from '../../services/file-target.ts';
import type { FileTarget } from '../../services/file-target.ts';
import { passingFailure, permanentFailure } from '../../temporal/contract/failures.ts';
import { withHeartbeat } from '../heartbeat.ts';

/** A model that answers nonsense this often will go on doing so. Outages and limits are waited out without end. */
const INVALID_REPLIES = 5;

export interface VisionDeps {
  orm: Orm;
  objects: ObjectStore;
  vision: VisionModel;
}

/** Model calls, on the queue of their provider. */
export function createVisionActivities({ orm, objects, vision }: VisionDeps) {
  return {
    async describeImage(target: FileTarget): Promise<void> {
      try {
        await withHeartbeat((signal) =>
          describeImage({ em: orm.em.fork(), objects, vision }, target, signal),
        );
      } catch (error) {
        throw translate(error, Context.current().info.attempt);
      }
    },
  };
}

function translate(error: unknown, attempt: number): unknown {
  if (error instanceof FileGone) return permanentFailure('FILE_GONE', error.message, error);
  if (!(error instanceof ModelError)) return error;
  const hopeless =
    error.code === 'MODEL_REFUSED' || (error.code === 'MODEL_INVALID_REPLY' && attempt >= INVALID_REPLIES);
  if (hopeless) return permanentFailure(error.code, error.message, error);
  const { retryAfterSeconds } = error;
  return passingFailure(error.code, error.message, {
    cause: error,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}
