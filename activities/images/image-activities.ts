import { DecoderCrashed, DecoderTimeout, ImageRefused } from '../../adapters/image-decoder/errors.ts';
import type { ImageDecoder } from '../../adapters/image-decoder/image-decoder.ts';
import { ObjectNotFound } from '../../adapters/object-store/errors.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import type { Orm } from '../../db/create-orm.ts';
import { FileGone } from '../../services/file-target.ts';
import type { FileTarget } from '../../services/file-target.ts';
import { renderVariants } from '../../services/render-variants.ts';
import { passingFailure, permanentFailure } from '../../temporal/contract/failures.ts';
import { withHeartbeat } from '../heartbeat.ts';

export interface ImageDeps {
  orm: Orm;
  objects: ObjectStore;
  decoder: ImageDecoder;
}

/** Decoding work, on the `cpu` queue. */
export function createImageActivities({ orm, objects, decoder }: ImageDeps) {
  return {
    async renderVariants(target: FileTarget): Promise<void> {
      try {
        await withHeartbeat((signal) =>
          renderVariants({ em: orm.em.fork(), objects, decoder }, target, signal),
        );
      } catch (error) {
        throw translate(error);
      }
    },
  };
}

function translate(error: unknown): unknown {
  if (error instanceof ImageRefused) return permanentFailure(error.code, error.message, error);
  if (error instanceof FileGone) return permanentFailure('FILE_GONE', error.message, error);
  if (error instanceof ObjectNotFound) {
    return permanentFailure('ORIGINAL_MISSING', 'the stored original is gone from the object store', error);
  }
  if (error instanceof DecoderCrashed)
    return passingFailure('DECODER_CRASHED', error.message, { cause: error });
  if (error instanceof DecoderTimeout)
    return passingFailure('DECODER_TIMEOUT', error.message, { cause: error });
  return error;
}
