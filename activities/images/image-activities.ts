import { DecoderCrashed, DecoderTimeout, ImageRefused } from '../../adapters/image-decoder/errors.ts';
import type { ImageDecoder } from '../../adapters/image-decoder/image-decoder.ts';
import { ObjectNotFound, ObjectTooLarge } from '../../adapters/object-store/errors.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import type { Orm } from '../../db/create-orm.ts';
import { FileGone } from '../../services/file-target.ts';
import type { FileTarget } from '../../services/file-target.ts';
import { renderVariants } from '../../services/render-variants.ts';
import { attempt } from '../attempt.ts';
import type { Verdict } from '../attempt.ts';

export interface ImageDeps {
  orm: Orm;
  objects: ObjectStore;
  decoder: ImageDecoder;
}

/** Decoding work, on the `cpu` queue. */
export function createImageActivities({ orm, objects, decoder }: ImageDeps) {
  return {
    renderVariants: (target: FileTarget): Promise<void> =>
      attempt((signal) => renderVariants({ em: orm.em.fork(), objects, decoder }, target, signal), judge),
  };
}

function judge(error: unknown): Verdict | undefined {
  if (error instanceof ImageRefused) return { kind: 'permanent', code: error.code, message: error.message };
  if (error instanceof FileGone) return { kind: 'permanent', code: 'FILE_GONE', message: error.message };
  if (error instanceof ObjectTooLarge) {
    return {
      kind: 'permanent',
      code: 'IMAGE_TOO_LARGE',
      message: 'the picture has too many bytes to be decoded',
    };
  }
  if (error instanceof ObjectNotFound) {
    return {
      kind: 'permanent',
      code: 'ORIGINAL_MISSING',
      message: 'the original is gone from the object store',
    };
  }
  if (error instanceof DecoderCrashed) {
    return { kind: 'strike', code: 'DECODER_CRASHED', message: 'the picture killed its decoder' };
  }
  if (error instanceof DecoderTimeout) {
    return { kind: 'strike', code: 'DECODER_TIMEOUT', message: 'the decoder did not come to an end' };
  }
  return undefined;
}
