import type { EntityManager } from '@mikro-orm/postgresql';
import { relativeBox } from 'darkroom-reader';
import type { LaidOutBy } from 'darkroom-reader/document';
import type { TextWork } from '../../engines/text-work/text-work.ts';
import type { PageLayout } from '../../adapters/models/vision/document-model.ts';
import { DocumentPage } from '../../db/entities/documents/document-page.ts';
import { findTarget, type FileTarget } from '../processing/file-target.ts';
import { FINE_PIXELS } from '../images/model-image.ts';
import {
  recordingFailure,
  recordStep,
  storePaidAnswer,
  type PaidAttempt,
  tenantModel,
  type ModelDeps,
} from '../processing/record-step.ts';
import { recordFileOperation } from '../usage/record-operation.ts';
import { findDetails, withDocument, type ReadDocumentDeps } from './document-target.ts';
import { forgetElements } from './locate-elements.ts';
import { keepLayoutByRules, saveContent } from './record-pages.ts';

/** A layout, and the model call that made it. */
interface PaidLayout extends PageLayout, LaidOutBy {
  durationMs: number;
}

/**
 * Lays out a page by the tenant's model, if that is still due: the model groups and orders the lines of the page, and
 * does not change their words. A tenant that no longer allows any model keeps the layout by rules, and nothing
 * leaves the service.
 *
 * @throws FileGone, UploadSessionPaused, UploadSessionCancelled, UnreadableDocument, TextOverBudget, and the errors of
 *   the store and of the model
 */
export async function layoutWithModel(
  { em, reader, copies, text, ...choice }: ReadDocumentDeps & ModelDeps & { text: TextWork },
  target: FileTarget,
  pageNumber: number,
  attempt: PaidAttempt,
): Promise<void> {
  const { fileId, tenantId } = target;
  const { signal } = attempt;
  const file = await findTarget(em, target);
  const page = await findDue(em, fileId, pageNumber);
  // Without words there is nothing to lay out; a page that stayed due would be planned again and again.
  if (!page?.lines) return keepLayoutByRules(em, target, [pageNumber], null);
  const { documents, provider, model } = await tenantModel(em, tenantId, choice);
  if (!documents) return keepLayoutByRules(em, target, [pageNumber], null);
  const { profile, pageCount } = await findDetails(em, fileId);
  const { lines: pageLines } = page;
  const { lines, turns } = pageLines;
  const part = `page/${pageNumber}` as const;

  const image = () =>
    withDocument({ em, copies }, target, signal, (source) =>
      reader.showPage(source, { pageNumber, turns, maxDimension: FINE_PIXELS }, signal),
    );
  const ask = async (): Promise<PaidLayout> => {
    const shown = lines.map((line) => ({ text: line.text, box: relativeBox(line, pageLines) }));
    const began = performance.now();
    const layout = await recordingFailure(em, file, { operation: 'digitize', provider, model, part }, () =>
      documents.layOut({ image, pageNumber, pageCount, lines: shown }, { tenantId, signal }),
    );
    return { ...layout, provider, model, durationMs: performance.now() - began };
  };
  const store = async ({ elements: laidOut, usage, promptVersion, durationMs, ...by }: PaidLayout) => {
    const elements = await text.arrangeLines(
      { page: pageLines, elements: laidOut, profile },
      { tenantId, signal },
    );
    await recordStep(em, target, {
      async save(tx) {
        // A concurrent attempt may have finished first.
        if (!(await findDue(tx, fileId, pageNumber))?.lines) return;
        const content = { pageNumber, source: page.source ?? 'ocr', elements };
        const laidOutBy = { provider: by.provider, model: by.model, promptVersion };
        await saveContent(tx, fileId, content, { layoutDue: false, lines: null, laidOutBy });
        await forgetElements(tx, fileId, [pageNumber]);
        const operation = { operation: 'digitize', ...by, usage, durationMs } as const;
        await recordFileOperation(tx, file, operation, { part, included: true });
      },
    });
  };
  await storePaidAnswer(attempt, ask, store);
}

async function findDue(em: EntityManager, fileId: string, pageNumber: number) {
  const due = { fileId, pageNumber, status: 'completed', layoutDue: true } as const;
  return em.findOne(DocumentPage, due, { refresh: true });
}
