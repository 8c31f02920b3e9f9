import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { ExtractDataInput } from '../../temporal/contract/extract-data.ts';
import { taskPriority, QUEUES, visionQueue } from '../../temporal/contract/queues.ts';
import { cpuBound, ocr, quickIo, vision, webFetch } from '../activity-options.ts';

type IoSteps = Pick<Activities, 'openSchemaExtraction' | 'planExtraction' | 'failExtraction'>;

/** The activities of an extraction, each on the queue of its class of work. */
export interface ExtractionSteps {
  io: IoSteps;
  finish: Pick<Activities, 'finishExtraction'>;
  fetch: Pick<Activities, 'fetchExtractionPicture'>;
  render: Pick<Activities, 'renderExtractionPicture'>;
  read: Pick<Activities, 'readExtractionPicture'>;
  model: (provider: string) => Pick<Activities, 'extractPart'>;
}

export function createExtractionSteps({
  tenantId,
  priority,
}: Pick<ExtractDataInput, 'tenantId' | 'priority'>): ExtractionSteps {
  const prioritised = { priority: taskPriority(priority, tenantId) };
  return {
    io: proxyActivities<IoSteps>({ ...quickIo, ...prioritised, taskQueue: QUEUES.io, summary: 'Extraction' }),
    // It cites from all pages of a document.
    finish: proxyActivities({ ...cpuBound, ...prioritised, taskQueue: QUEUES.cpu, summary: 'Result' }),
    fetch: proxyActivities({
      ...webFetch,
      ...prioritised,
      taskQueue: QUEUES.web,
      summary: 'Picture behind the URL',
    }),
    render: proxyActivities({ ...cpuBound, ...prioritised, taskQueue: QUEUES.cpu, summary: 'Picture' }),
    read: proxyActivities({ ...ocr, ...prioritised, taskQueue: QUEUES.ocr, summary: 'Text of the picture' }),
    model: (provider) =>
      proxyActivities({
        ...vision,
        // The answer is checked in turn with other work of the tenant; the call of the model has a limit of its own.
        startToCloseTimeout: '10 min',
        ...prioritised,
        taskQueue: visionQueue(provider),
        summary: `Data by ${provider}`,
      }),
  };
}
