import { Context } from '@temporalio/activity';
import { TextOverBudget } from '../adapters/text-work/errors.ts';
import {
  RecogniserCrashed,
  RecogniserTimeout,
  type TextRecogniser,
} from '../adapters/models/ocr/text-recogniser.ts';
import type { ImageDecoder } from '../adapters/image-decoder/image-decoder.ts';
import type { WebFetch } from '../adapters/web-fetch/web-fetch.ts';
import type { VisionModels } from '../adapters/models/vision/vision-models.ts';
import type { TextWork } from '../adapters/text-work/text-work.ts';
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
import { ModelError } from '../adapters/models/model-error.ts';
import { attempt, type AttemptControls, type FailureClass } from './attempt.ts';
import { classifyImageFailure, classifyWebFailure, classifyModelFailure } from './classify-failures.ts';

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

/** A model that has not answered within this time counts as hanging; given less time, it may only be slow. */
const ENOUGH_MS = 30_000;

/**
 * Calls a model for a waiting client, with the client's deadline. A client with a very short deadline can read the
 * answer later; one with a long deadline gets an error if the model does not respond.
 *
 * @throws ModelError MODEL_TIMEOUT
 */
async function answeredInTime<T>(
  { signal }: AttemptControls,
  giveUpAt: string | undefined,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const left = giveUpAt === undefined ? 0 : Date.parse(giveUpAt) - Date.now();
  const { attempt: number } = Context.current().info;
  const isLast = left >= ENOUGH_MS || (number > 1 && left > 0);
  if (!isLast) return call(signal);
  const patience = AbortSignal.timeout(left);
  try {
    return await call(AbortSignal.any([signal, patience]));
  } catch (error) {
    if (!patience.aborted || signal.aborted) throw error;
    throw new ModelError(
      'MODEL_TIMEOUT',
      `the model endpoint did not answer within ${Math.round(left / 1000)} seconds`,
      { cause: error },
    );
  }
}

/**
 * Pause between two calls of an unavailable model while a client waits; the usual pauses would outlast its deadline.
 */
const WAITED_FOR_SECONDS = 2;

/** An outage that would outlast the client's deadline is final. */
function orGiveUp(failure: FailureClass | undefined, giveUpAt: string | undefined): FailureClass | undefined {
  if (failure?.kind !== 'retryable' || giveUpAt === undefined) return failure;
  const { code, message, retryAfterSeconds = WAITED_FOR_SECONDS } = failure;
  // Only an operator can fix the key, and no client waits that long.
  if (code === 'MODEL_UNAUTHORIZED') return { kind: 'permanent', code, message };
  const next = Date.now() + retryAfterSeconds * 1000;
  if (next > Date.parse(giveUpAt)) return { kind: 'permanent', code, message };
  return { ...failure, retryAfterSeconds };
}

const OVER_BUDGET = { took_too_long: 'EXTRACTION_TOO_SLOW', too_large: 'EXTRACTION_TOO_LARGE' } as const;

function classifyExtractionFailure(error: unknown): FailureClass | undefined {
  const { message } = error instanceof Error ? error : { message: '' };
  if (error instanceof ExtractionOver) return { kind: 'permanent', code: 'EXTRACTION_OVER', message };
  if (error instanceof ContentMissing) return { kind: 'permanent', code: 'CONTENT_MISSING', message };
  if (error instanceof TextOverBudget) return { kind: 'permanent', code: OVER_BUDGET[error.reason], message };
  if (error instanceof NothingExtracted) {
    return { kind: 'permanent', code: 'EXTRACTION_EMPTY', message, expected: true };
  }
  if (error instanceof RecogniserCrashed) {
    return {
      kind: 'counted',
      code: 'RECOGNISER_CRASHED',
      message: 'the image crashed the text recogniser',
    };
  }
  if (error instanceof RecogniserTimeout) {
    return { kind: 'counted', code: 'RECOGNISER_TIMEOUT', message: 'the text recogniser timed out' };
  }
  return classifyImageFailure(error);
}
