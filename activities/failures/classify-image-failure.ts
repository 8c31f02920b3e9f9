import { DecoderCrashed, DecoderTimeout, ImageRefused } from '../../adapters/image-decoder/errors.ts';
import { ObjectNotFound, ObjectTooLarge } from '../../adapters/object-store/errors.ts';
import type { FailureClass } from '../attempt.ts';

/** Classifies failures to read or decode an image. */
export function classifyImageFailure(error: unknown): FailureClass | undefined {
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
    return { kind: 'counted', code: 'DECODER_CRASHED', message: 'the picture crashed its decoder' };
  }
  if (error instanceof DecoderTimeout) {
    return { kind: 'permanent', code: 'DECODER_TIMEOUT', message: error.message };
  }
  return undefined;
}
