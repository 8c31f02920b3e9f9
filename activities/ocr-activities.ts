import type { ImageDecoder } from '../engines/image-decoder/image-decoder.ts';
import {
  RecogniserCrashed,
  RecogniserTimeout,
  type TextRecogniser,
} from '../engines/text-recogniser/text-recogniser.ts';
import type { ObjectStore } from '../adapters/object-store/object-store.ts';
import type { Orm } from '../db/create-orm.ts';
import type { FileTarget } from '../services/processing/file-target.ts';
import { readText } from '../services/images/read-text.ts';
import { readFrameText } from '../services/videos/read-frame-text.ts';
import { attempt, type FailureClass } from './attempt.ts';
import { classifyImageFailure } from './classify-failures.ts';

export interface OcrDeps {
  orm: Orm;
  objects: ObjectStore;
  decoder: ImageDecoder;
  recogniser: TextRecogniser;
}

/** Text recognition, on the `ocr` queue. */
export function createOcrActivities({ orm, ...deps }: OcrDeps) {
  return {
    readText: (target: FileTarget): Promise<void> =>
      attempt(({ signal }) => readText({ em: orm.em.fork(), ...deps }, target, signal), classifyFailure),

    readFrameText: (target: FileTarget): Promise<void> =>
      attempt(({ signal }) => readFrameText({ em: orm.em.fork(), ...deps }, target, signal), classifyFailure),
  };
}

function classifyFailure(error: unknown): FailureClass | undefined {
  if (error instanceof RecogniserCrashed) {
    return {
      kind: 'counted',
      code: 'RECOGNISER_CRASHED',
      message: 'the text recogniser crashed on this image',
    };
  }
  if (error instanceof RecogniserTimeout) {
    return { kind: 'permanent', code: 'RECOGNISER_TIMEOUT', message: error.message };
  }
  return classifyImageFailure(error);
}
