import {
  ApplicationFailure,
  CancellationScope,
  continueAsNew,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
} from '@temporalio/workflow';
import { missingPages } from '../domain/documents/page.ts';
import {
  PAGES_A_BATCH,
  type PageBatch,
  type PagePlan,
  type StepEnd,
  type StepWorkflowInput,
} from '../temporal/contract/digitize-document.ts';
import { failureReason, isEndOfFile, isFatalToDocument } from '../temporal/contract/failures.ts';
import type { Activities } from '../activities/index.ts';
import { QUEUES, taskPriority, visionQueue } from '../temporal/contract/queues.ts';
import { cpuBound, localWrite, ocr, quickIo, vision } from './activity-options.ts';
import { withDurableFallback } from './with-durable-fallback.ts';

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
    // By pages, since each may be tried alone.
    left -= plan.batches.reduce((sum, { pages }) => sum + Math.ceil(pages.length / PAGES_A_BATCH), 0);
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

type RecordActivities = Pick<Activities, 'planPages' | 'failPages' | 'keepLayoutByRules'>;
type ReadActivities = Pick<Activities, 'readPages' | 'recognisePage'>;
type LayoutActivities = Pick<Activities, 'layOutPage'>;
type Target = Pick<StepWorkflowInput, 'fileId' | 'tenantId' | 'generation'>;

/** The activities of one document, in its lane. Writes of rows are local; all else runs on the queue of its class. */
function createPageActivities({ tenantId, priority, visionProvider }: StepWorkflowInput) {
  const options = { priority: taskPriority(priority, tenantId) };
  const local = proxyLocalActivities<RecordActivities>(localWrite);
  const durable = proxyActivities<RecordActivities>({
    ...quickIo,
    ...options,
    taskQueue: QUEUES.io,
    summary: 'Recording pages (database was slow to answer)',
  });

  return {
    plan: withDurableFallback(local.planPages, durable.planPages),
    fail: withDurableFallback(local.failPages, durable.failPages),
    keepLayoutByRules: withDurableFallback(local.keepLayoutByRules, durable.keepLayoutByRules),
    /** @returns how many of the pages could not be read */
    async read(target: Target, { work, pages }: PageBatch, total: number): Promise<number> {
      const [first, last] = [pages[0] ?? 0, pages.at(-1) ?? 0];
      const named = first === last ? `Page ${first}` : `Pages ${first} to ${last}`;
      const summary = `${named} of ${total}${work === 'ocr' ? ': OCR' : ''}`;
      if (work === 'ocr') {
        const { recognisePage } = proxyActivities<ReadActivities>({
          ...ocr,
          ...options,
          taskQueue: QUEUES.ocr,
          summary,
        });
        return recognisePage({ ...target, page: first, visionProvider });
      }
      const { readPages } = proxyActivities<ReadActivities>({
        ...cpuBound,
        ...options,
        taskQueue: QUEUES.documents,
        summary,
      });
      return readPages({ ...target, pages, visionProvider });
    },
    async layOut(target: Target, page: number, total: number): Promise<void> {
      const { layOutPage } = proxyActivities<LayoutActivities>({
        ...vision,
        // The model has a time limit of its own; fetching the document and waiting for a renderer come before it.
        startToCloseTimeout: '10 min',
        ...options,
        taskQueue: visionQueue(visionProvider),
        summary: `Page ${page} of ${total}: layout by ${visionProvider}`,
      });
      await layOutPage({ ...target, page });
    },
  };
}
