import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { DigitizeDocumentInput, PageBatch } from '../../temporal/contract/digitize-document.ts';
import { lane, QUEUES } from '../../temporal/contract/queues.ts';
import { cpuBound, localWrite, ocr, quickIo } from '../activity-options.ts';
import { escalating } from '../escalating.ts';

type RecordActivities = Pick<Activities, 'planPages' | 'failPages'>;
type ReadActivities = Pick<Activities, 'readPages' | 'recognisePage'>;
type Target = Pick<DigitizeDocumentInput, 'fileId' | 'tenantId' | 'generation'>;

/** The activities of one document, in its lane. Writes of rows are local; reading runs on the queue of its class. */
export function createPageActivities({ tenantId, priority }: DigitizeDocumentInput) {
  const options = { priority: lane(priority, tenantId) };
  const local = proxyLocalActivities<RecordActivities>(localWrite);
  const durable = proxyActivities<RecordActivities>({
    ...quickIo,
    ...options,
    taskQueue: QUEUES.io,
    summary: 'Recording pages (database was slow to answer)',
  });

  return {
    plan: escalating(local.planPages, durable.planPages),
    fail: escalating(local.failPages, durable.failPages),
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
        return recognisePage({ ...target, page: first });
      }
      const { readPages } = proxyActivities<ReadActivities>({
        ...cpuBound,
        ...options,
        taskQueue: QUEUES.cpu,
        summary,
      });
      return readPages({ ...target, pages });
    },
  };
}
