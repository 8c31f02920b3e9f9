import type { ImageDecoder } from '../../adapters/image-decoder/image-decoder.ts';
import { RecogniserCrashed, RecogniserTimeout } from '../../adapters/models/ocr/errors.ts';
import type { TextRecogniser } from '../../adapters/models/ocr/text-recogniser.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import type { Orm } from '../../db/create-orm.ts';
import type { FileTarget } from '../../services/processing/file-target.ts';
import { readText } from '../../services/processing/steps/read-text.ts';
import { attempt, type Verdict } from '../attempt.ts';
import { judgeImage } from '../images/judge-image.ts';

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
      attempt((signal) => readText({ em: orm.em.fork(), ...deps }, target, signal), judge),
  };
}

function judge(error: unknown): Verdict | undefined {
  if (error instanceof RecogniserCrashed) {
    return { kind: 'counted', code: 'RECOGNISER_CRASHED', message: 'the picture broke the text recogniser' };
  }
  if (error instanceof RecogniserTimeout) {
    return {
      kind: 'counted',
      code: 'RECOGNISER_TIMEOUT',
      message: 'the text recogniser did not come to an end',
    };
  }
  return judgeImage(error);
}
