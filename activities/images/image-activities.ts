import type { ImageDecoder } from '../../adapters/image-decoder/image-decoder.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import type { Orm } from '../../db/create-orm.ts';
import type { FileTarget } from '../../services/processing/file-target.ts';
import { renderVariants } from '../../services/processing/steps/render-variants.ts';
import { attempt } from '../attempt.ts';
import { classifyImageFailure } from './classify-image-failure.ts';

export interface ImageDeps {
  orm: Orm;
  objects: ObjectStore;
  decoder: ImageDecoder;
}

/** Decoding work, on the `cpu` queue. */
export function createImageActivities({ orm, objects, decoder }: ImageDeps) {
  return {
    renderVariants: (target: FileTarget): Promise<void> =>
      attempt(
        (signal) => renderVariants({ em: orm.em.fork(), objects, decoder }, target, signal),
        classifyImageFailure,
      ),
  };
}
