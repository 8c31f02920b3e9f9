import { TextOverBudget } from '../engines/text-work/errors.ts';
import {
  RecogniserCrashed,
  RecogniserTimeout,
  type TextRecogniser,
} from '../engines/text-recogniser/text-recogniser.ts';
import type { ImageDecoder } from '../engines/image-decoder/image-decoder.ts';
import type { WebFetch } from '../adapters/web-fetch/web-fetch.ts';
import type { VisionModels } from '../adapters/models/vision/vision-models.ts';
import type { TextWork } from '../engines/text-work/text-work.ts';
import type { ObjectStore } from '../adapters/object-store/object-store.ts';
import type { Orm } from '../db/create-orm.ts';
import type { FailureReason } from '../domain/components.ts';
import { fetchImage, readImage, renderImage } from '../services/structured-extraction/read-image.ts';
import { endExtraction } from '../services/structured-extraction/end-extraction.ts';
import { extractPart } from '../services/structured-extraction/extract-part.ts';
import { ContentMissing, ExtractionOver } from '../services/structured-extraction/extraction-target.ts';
import {
  finishExtraction,
  NothingExtracted,
  planExtraction,
} from '../services/structured-extraction/plan-extraction.ts';
import type { FileTarget } from '../services/processing/file-target.ts';
import { openSchemaExtraction } from '../services/structured-extraction/open-schema-extraction.ts';
import type {
  ExtractionPartTarget,
  ExtractionPlan,
  ExtractionTarget,
} from '../temporal/contract/extract-data.ts';
import { attempt, type FailureClass } from './attempt.ts';
import { classifyImageFailure, classifyWebFailure, classifyModelFailure } from './classify-failures.ts';
import { answeredInTime, orGiveUp } from './waiting-client.ts';

interface ExtractionDeps {
  orm: Orm;
  objects: ObjectStore;
}

/** Rows of extractions, on the `io` queue. */
export function createExtractionActivities({
  orm,
  objects,
  models,
}: ExtractionDeps & { models: Pick<VisionModels, 'forTenant'> }) {
  const em = () => orm.em.fork();
  return {
    /** @returns undefined when there is nothing to extract */
    openSchemaExtraction: (target: FileTarget): Promise<string | undefined> =>
      attempt(() => openSchemaExtraction(em(), target), classifyExtractionFailure, UNCOUNTED),

    planExtraction: (target: ExtractionTarget): Promise<ExtractionPlan> =>
      attempt(() => planExtraction({ em: em(), models }, target), classifyExtractionFailure),

    failExtraction: (target: ExtractionTarget, reason: FailureReason): Promise<boolean> =>
      attempt(
        () => endExtraction({ em: em(), objects }, target, { status: 'failed', reason }),
        classifyExtractionFailure,
        UNCOUNTED,
      ),
  };
}

/** The result of an extraction, on the `cpu` queue: citing from a long document takes a while. */
export function createExtractionResultActivities({ orm, ...deps }: ExtractionDeps & { text: TextWork }) {
  return {
    finishExtraction: (target: ExtractionTarget): Promise<void> =>
      attempt(
        ({ signal }) => finishExtraction({ em: orm.em.fork(), ...deps }, target, signal),
        classifyExtractionFailure,
      ),
  };
}

/** Images behind URLs, on the `web` queue. */
export function createExtractionFetchActivities({ orm, ...deps }: ExtractionDeps & { web: WebFetch }) {
  return {
    fetchExtractionImage: (target: ExtractionTarget): Promise<void> =>
      attempt(
        ({ signal }) => fetchImage({ em: orm.em.fork(), ...deps }, target, signal),
        (error) => classifyWebFailure(error) ?? classifyExtractionFailure(error),
      ),
  };
}

/** For activities that only write a row or two, whose content cannot crash a worker. */
const UNCOUNTED = { counting: false };

/** The image of an extraction, on the `cpu` queue. */
export function createExtractionImageActivities({
  orm,
  ...deps
}: ExtractionDeps & { decoder: ImageDecoder }) {
  return {
    renderExtractionImage: (target: ExtractionTarget): Promise<void> =>
      attempt(
        ({ signal }) => renderImage({ em: orm.em.fork(), ...deps }, target, signal),
        classifyExtractionFailure,
      ),
  };
}

/** The text of that image, on the `ocr` queue. */
export function createExtractionTextActivities({
  orm,
  ...deps
}: ExtractionDeps & { decoder: ImageDecoder; recogniser: TextRecogniser; text: TextWork }) {
  return {
    readExtractionImage: (target: ExtractionTarget): Promise<void> =>
      attempt(
        ({ signal }) => readImage({ em: orm.em.fork(), ...deps }, target, signal),
        classifyExtractionFailure,
      ),
  };
}

/** Calls of a model, on the queue of its provider. */
export function createExtractionModelActivities(
  { orm, objects, models }: ExtractionDeps & { models: Pick<VisionModels, 'forTenant'> },
  provider: string,
) {
  return {
    extractPart: ({ giveUpAt, ...target }: ExtractionPartTarget): Promise<void> =>
      attempt(
        (controls) =>
          answeredInTime(controls, giveUpAt, (signal) =>
            extractPart({ em: orm.em.fork(), objects, models, provider }, target, { ...controls, signal }),
          ),
        (error) => orGiveUp(classifyModelFailure(error) ?? classifyExtractionFailure(error), giveUpAt),
      ),
  };
}

const OVER_BUDGET = { took_too_long: 'EXTRACTION_TOO_SLOW', too_large: 'EXTRACTION_TOO_LARGE' } as const;

function classifyExtractionFailure(error: unknown): FailureClass | undefined {
  const { message } = error instanceof Error ? error : { message: '' };
  if (error instanceof ExtractionOver) return { kind: 'permanent', code: 'EXTRACTION_OVER', message };
  if (error instanceof ContentMissing) return { kind: 'permanent', code: error.code, message };
  if (error instanceof TextOverBudget) return { kind: 'permanent', code: OVER_BUDGET[error.reason], message };
  if (error instanceof NothingExtracted) {
    return { kind: 'permanent', code: 'EXTRACTION_EMPTY', message, expected: true };
  }
  if (error instanceof RecogniserCrashed) {
    return {
      kind: 'counted',
      code: 'RECOGNISER_CRASHED',
      message: 'the text recogniser crashed on this image',
    };
  }
  if (error instanceof RecogniserTimeout) {
    return { kind: 'counted', code: 'RECOGNISER_TIMEOUT', message: 'the text recogniser timed out' };
  }
  return classifyImageFailure(error);
}
