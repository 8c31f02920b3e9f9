import {
  ApplicationFailure,
  CancellationScope,
  continueAsNew,
  isCancellation,
  setCurrentDetails,
} from '@temporalio/workflow';
import { missingPages } from '../../domain/documents/missing-pages.ts';
import type {
  PageBatch,
  PagePlan,
  StepEnd,
  StepWorkflowInput,
} from '../../temporal/contract/digitize-document.ts';
import { failureReason, isEndOfFile, isFatalToDocument } from '../../temporal/contract/failures.ts';
import { createPageActivities } from './page-activities.ts';

/** Batches of one document in flight, for each class of work: the rest of the workers is left to other files. */
const IN_FLIGHT = { cpu: 2, ocr: 4, vision: 4 } as const;
/** Batches of one run, so that its history stays under 1,000 events. */
const BATCHES_A_RUN = 64;

/**
 * Reads the pages of a document that are pending, and has those laid out by a model whose layout is due. A batch that
 * cannot be read is tried again page by page, and a page that fails alone is recorded as failed; one that the model cannot
 * lay out keeps its layout by rules. Continues as new after many batches, when every page in flight has ended.
 */
export async function digitizeDocument(input: StepWorkflowInput): Promise<StepEnd> {
  const { fileId, tenantId, generation } = input;
  const target = { fileId, tenantId, generation };
  const activities = createPageActivities(input);

  let [total, done, failed, layoutsDue] = [0, 0, 0, 0];
  for (let left = BATCHES_A_RUN; left > 0;) {
    const plan = await activities.plan(target, left);
    if (plan.batches.length === 0) return ended(plan);
    ({ total, completed: done, failed, layoutsDue } = plan);
    left -= plan.batches.length;
    showProgress();
    await run(plan.batches);
  }
  return continueAsNew<typeof digitizeDocument>(input);

  async function run(batches: readonly PageBatch[]): Promise<void> {
    await CancellationScope.cancellable(async () => {
      const scope = CancellationScope.current();
      const lanes = (['cpu', 'ocr', 'vision'] as const).flatMap((work) => {
        const queue = batches.filter((batch) => batch.work === work);
        return Array.from({ length: IN_FLIGHT[work] }, () => drain(queue));
      });
      // One that fails for good ends the others; all are awaited, so that none is in flight afterwards.
      for (const lane of lanes) lane.catch(() => scope.cancel());
      const failure = (await Promise.allSettled(lanes)).find(
        (lane) => lane.status === 'rejected' && !isCancellation(lane.reason),
      );
      if (failure?.status === 'rejected') throw failure.reason;
      await Promise.all(lanes);
    });
  }

  async function drain(queue: PageBatch[]): Promise<void> {
    for (let batch = queue.shift(); batch; batch = queue.shift()) {
      await (batch.work === 'vision' ? layOut(batch) : read(batch));
    }
  }

  async function read(batch: PageBatch): Promise<void> {
    const { pages } = batch;
    try {
      failed += await activities.read(target, batch, total);
      done += pages.length;
    } catch (error) {
      if (isCancellation(error)) throw error;
      const reason = failureReason(error);
      if (isFatalToDocument(reason.code)) throw ApplicationFailure.nonRetryable(reason.message, reason.code);
      if (pages.length > 1) {
        for (const page of pages) await read({ ...batch, pages: [page] });
        return;
      }
      await activities.fail(target, pages, reason);
      failed += 1;
    }
    showProgress();
  }

  async function layOut({ pages }: PageBatch): Promise<void> {
    for (const page of pages) {
      try {
        await activities.layOut(target, page, total);
      } catch (error) {
        if (isCancellation(error)) throw error;
        const reason = failureReason(error);
        if (isEndOfFile(reason.code)) throw ApplicationFailure.nonRetryable(reason.message, reason.code);
        await activities.keepLayoutByRules(target, [page], reason);
      }
      layoutsDue -= 1;
      showProgress();
    }
  }

  function showProgress(): void {
    const pages = `${done} of ${total} pages read`;
    const lost = failed > 0 ? [`${failed} could not be read`] : [];
    const due = layoutsDue > 0 ? [`${layoutsDue} to be laid out by ${input.visionProvider}`] : [];
    setCurrentDetails(`${[pages, ...lost, ...due].join(', ')}.`);
  }
}

function ended({ total, completed, failed, failedPages }: PagePlan): StepEnd {
  const [page] = failedPages;
  if (completed === 0 && page !== undefined) {
    throw ApplicationFailure.nonRetryable(`none of the ${total} pages could be read`, 'NO_PAGE_READ');
  }
  setCurrentDetails(`Ended: ${completed} of ${total} pages read.`);
  const incomplete = missingPages(failed, failedPages, total);
  return incomplete ? { incomplete } : {};
}
