import { log } from '@temporalio/activity';
import type { DocumentReader } from '../engines/document-reader/document-reader.ts';
import type { ImageDecoder } from '../engines/image-decoder/image-decoder.ts';
import { ModelError } from '../adapters/models/model-error.ts';
import type { ObjectStore } from '../adapters/object-store/object-store.ts';
import type { TextRecogniser } from '../engines/text-recogniser/text-recogniser.ts';
import type { TextWork } from '../engines/text-work/text-work.ts';
import type { VisionModels } from '../adapters/models/vision/vision-models.ts';
import type { Orm } from '../db/create-orm.ts';
import type { FailureReason } from '../domain/components.ts';
import { chunkDocument } from '../services/documents/chunk-document.ts';
import { describeDocument } from '../services/documents/describe-document.ts';
import { inspectDocument } from '../services/documents/inspect-document.ts';
import { drawPageImage, failPageImage } from '../services/documents/draw-page-image.ts';
import { makeDocument } from '../services/documents/make-document.ts';
import { layoutWithModel } from '../services/documents/layout-with-model.ts';
import type { DocumentCache } from '../services/documents/document-cache.ts';
import { planPages } from '../services/documents/plan-pages.ts';
import { readPages, recognisePage } from '../services/documents/read-pages.ts';
import { renderFirstPage } from '../services/documents/render-first-page.ts';
import { failPages, keepLayoutByRules } from '../services/documents/record-pages.ts';
import type { PartBuffers } from '../services/uploads/streaming/part-buffers.ts';
import type { Engine } from '../temporal/client.ts';
import type { FileTarget } from '../services/processing/file-target.ts';
import type { DrawPageInput } from '../temporal/contract/draw-page.ts';
import type { PagePlan } from '../temporal/contract/digitize-document.ts';
import { attempt, type FailureClass } from './attempt.ts';
import { classifyDocumentFailure } from './classify-failures.ts';
import { createFastPath } from './fast-path.ts';

export interface DocumentDeps {
  orm: Orm;
  reader: DocumentReader;
  copies: DocumentCache;
}

const reportLeftover = (err: unknown, what: string): void => log.error(what, { err });

/** Reading, dividing and drawing documents, on the `documents` queue. */
export function createDocumentActivities({
  orm,
  text,
  models,
  objects,
  decoder,
  engine,
  partBuffers: buffers,
  ...deps
}: DocumentDeps & {
  engine: Engine;
  partBuffers: PartBuffers;
  models: Pick<VisionModels, 'local'>;
  text: TextWork;
  objects: ObjectStore;
  decoder: ImageDecoder;
}) {
  const pictures = () => ({ em: em(), objects, decoder, ...deps });
  const em = () => orm.em.fork();
  const reading = (each: Orm['em']) => ({
    em: each,
    engine,
    objects,
    buffers,
    onError: reportLeftover,
    ...deps,
  });
  return {
    makeDocument: createFastPath({
      orm,
      make: (tx, target, options) =>
        makeDocument({ ...reading(tx), text, localProvider: models.local.provider }, target, options),
      classify: classifyDocumentFailure,
    }),

    inspectDocument: (target: FileTarget): Promise<void> =>
      attempt(({ signal }) => inspectDocument(reading(em()), target, signal), classifyDocumentFailure),

    /**
     * @param given.visionProvider of the run: this worker need not be configured for it
     * @returns how many of the pages could not be read
     */
    readPages: ({
      pages,
      visionProvider,
      ...target
    }: FileTarget & { pages: number[]; visionProvider: string }): Promise<number> => {
      const byModel = visionProvider !== models.local.provider;
      return attempt(
        ({ signal }) => readPages({ em: em(), ...deps }, target, { pages, byModel }, signal),
        classifyDocumentFailure,
      );
    },

    chunkDocument: (target: FileTarget): Promise<void> =>
      attempt(({ signal }) => chunkDocument({ em: em(), text }, target, signal), classifyDocumentFailure),

    renderFirstPage: (target: FileTarget): Promise<void> =>
      attempt(({ signal }) => renderFirstPage(pictures(), target, signal), classifyDocumentFailure),

    drawPageImage: (input: DrawPageInput): Promise<void> =>
      attempt(({ signal }) => drawPageImage(pictures(), input, signal), classifyDocumentFailure),
  };
}

/** Pages without text, on the `ocr` queue. */
export function createPageRecognitionActivities({
  orm,
  models,
  ...deps
}: DocumentDeps & { recogniser: TextRecogniser; models: Pick<VisionModels, 'local'>; text: TextWork }) {
  return {
    /**
     * @param given.visionProvider of the run: this worker need not be configured for it
     * @returns how many pages could not be read
     */
    recognisePage: ({
      page,
      visionProvider,
      ...target
    }: FileTarget & { page: number; visionProvider: string }): Promise<number> => {
      const byModel = visionProvider !== models.local.provider;
      return attempt(
        ({ signal }) => recognisePage({ em: orm.em.fork(), ...deps }, target, { page, byModel }, signal),
        classifyDocumentFailure,
      );
    },
  };
}

/** Model calls about documents, on the queue of a provider. */
export function createDocumentModelActivities(
  { orm, reader, copies, models, text }: DocumentDeps & { models: VisionModels; text: TextWork },
  provider: string,
) {
  return {
    layOutPage: ({ page, ...target }: FileTarget & { page: number }): Promise<void> =>
      attempt(
        (controls) =>
          layoutWithModel(
            { em: orm.em.fork(), reader, copies, models, provider, text },
            target,
            page,
            controls,
          ),
        classifyLayoutFailure,
      ),

    describeDocument: (target: FileTarget): Promise<void> =>
      attempt(
        (controls) => describeDocument({ em: orm.em.fork(), models, provider, text }, target, controls),
        classifyDocumentFailure,
      ),
  };
}

/** A page whose layout takes the model longer than its time limit would do so each time: the rules have one already. */
function classifyLayoutFailure(error: unknown): FailureClass | undefined {
  if (error instanceof ModelError && error.code === 'MODEL_TIMEOUT') {
    return { kind: 'counted', code: error.code, message: error.message };
  }
  return classifyDocumentFailure(error);
}

/** Rows of pages: local activities, or on `io` when the database is slow. */
export function createPageRecordActivities({ orm }: { orm: Orm }) {
  return {
    planPages: (target: FileTarget, maxBatches: number): Promise<PagePlan> =>
      planPages(orm.em.fork(), target, maxBatches),

    failPages: (target: FileTarget, pages: number[], reason: FailureReason): Promise<void> =>
      failPages(orm.em.fork(), target, pages, reason),

    failPageImage: (input: DrawPageInput, reason: FailureReason): Promise<void> =>
      failPageImage(orm.em.fork(), input, reason),

    keepLayoutByRules: (target: FileTarget, pages: number[], reason: FailureReason): Promise<void> =>
      keepLayoutByRules(orm.em.fork(), target, pages, reason),
  };
}
