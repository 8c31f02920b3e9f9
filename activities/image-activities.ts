import type { Orm } from '../db/create-orm.ts';
import type { StepActivity } from '../domain/pipelines/index.ts';
import { makeImage, type MakeImageDeps } from '../services/images/make-image.ts';
import type { FileTarget } from '../services/processing/file-target.ts';
import { readText, type ReadTextDeps } from '../services/images/read-text.ts';
import { renderVariants } from '../services/images/render-variants.ts';
import { removeDeleted } from '../services/media/index-entries.ts';
import { attempt } from './attempt.ts';
import {
  classifyIndexFailure,
  classifyImageFailure,
  classifyRecognitionFailure,
} from './classify-failures.ts';
import { createFastPath } from './fast-path.ts';

const LAST_STEP: StepActivity = 'indexImage';

export type ImageDeps = Omit<MakeImageDeps, 'em'> & { orm: Orm };

/** Decoding work, on the `cpu` queue. */
export function createImageActivities({ orm, ...deps }: ImageDeps) {
  return {
    makeImage: createFastPath({
      orm,
      make: (em, target, options) => makeImage({ em, ...deps }, target, options),
      classify: classifyIndexFailure,
      // A vector may have been written, of a file that was deleted before.
      clean: async (em, target, step) => {
        if (step === LAST_STEP) await removeDeleted({ em, vectors: deps.vectors }, [target]);
      },
    }),

    renderVariants: (target: FileTarget): Promise<void> =>
      attempt(
        ({ signal }) => renderVariants({ em: orm.em.fork(), ...deps }, target, signal),
        classifyImageFailure,
      ),
  };
}

/** Text recognition, on the `ocr` queue. */
export function createImageTextActivities({ orm, ...deps }: Omit<ReadTextDeps, 'em'> & { orm: Orm }) {
  return {
    readText: (target: FileTarget): Promise<void> =>
      attempt(
        ({ signal }) => readText({ em: orm.em.fork(), ...deps }, target, signal),
        classifyRecognitionFailure,
      ),
  };
}
