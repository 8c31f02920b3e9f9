import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { PageBatch, StepWorkflowInput } from '../../temporal/contract/digitize-document.ts';
import { taskPriority, QUEUES, visionQueue } from '../../temporal/contract/queues.ts';
import { cpuBound, localWrite, ocr, quickIo, vision } from '../activity-options.ts';
import { withDurableFallback } from '../with-durable-fallback.ts';

type RecordActivities = Pick<Activities, 'planPages' | 'failPages' | 'keepLayoutByRules'>;
type ReadActivities = Pick<Activities, 'readPages' | 'recognisePage'>;
type LayoutActivities = Pick<Activities, 'layOutPage'>;
type Target = Pick<StepWorkflowInput, 'fileId' | 'tenantId' | 'generation'>;

/** The activities of one document, in its lane. Writes of rows are local; all else runs on the queue of its class. */
export function createPageActivities({ tenantId, priority, visionProvider }: StepWorkflowInput) {
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
        taskQueue: QUEUES.cpu,
        summary,
      });
      return readPages({ ...target, pages });
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
