import { DecoderCrashed, DecoderTimeout, ImageRefused } from '../../adapters/image-decoder/errors.ts';
import { ObjectNotFound, ObjectTooLarge } from '../../adapters/object-store/errors.ts';
import type { Verdict } from '../attempt.ts';

/** What it means when the bytes of an image could not be had or decoded. */
export function judgeImage(error: unknown): Verdict | undefined {
  if (error instanceof ImageRefused) return { kind: 'permanent', code: error.code, message: error.message };
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
    return { kind: 'counted', code: 'DECODER_CRASHED', message: 'the picture killed its decoder' };
  }
  if (error instanceof DecoderTimeout) {
    return { kind: 'counted', code: 'DECODER_TIMEOUT', message: 'the decoder did not come to an end' };
  }
  return undefined;
}
