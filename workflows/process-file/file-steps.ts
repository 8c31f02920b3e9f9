import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { FileStep } from '../../temporal/contract/file-steps.ts';
import type { ProcessFileInput } from '../../temporal/contract/process-file.ts';
import { PRIORITIES, QUEUES, visionQueue } from '../../temporal/contract/queues.ts';
import { cpuBound, indexing, ocr, vision } from '../activity-options.ts';

export type FileSteps = Record<FileStep, () => Promise<void>>;

/** How each step of a file is taken: one activity on the queue of its class of work. */
export function createFileSteps(
  { fileId, tenantId, generation, priority }: ProcessFileInput,
  visionProvider: string,
): FileSteps {
  const lane = { priority: { priorityKey: PRIORITIES[priority], fairnessKey: tenantId } };
  const target = { fileId, tenantId, generation };

  const { renderVariants } = proxyActivities<Activities>({
    ...cpuBound,
    ...lane,
    taskQueue: QUEUES.cpu,
    summary: 'Variants, blur hash and measurements',
  });
  const { readText } = proxyActivities<Activities>({
    ...ocr,
    ...lane,
    taskQueue: QUEUES.ocr,
    summary: 'Visible text',
  });
  const { describeImage } = proxyActivities<Activities>({
    ...vision,
    ...lane,
    taskQueue: visionQueue(visionProvider),
    summary: `Description by ${visionProvider}`,
  });
  const { indexImage } = proxyActivities<Activities>({
    ...indexing,
    ...lane,
    taskQueue: QUEUES.index,
    summary: 'Entry in the similarity index',
  });

  return {
    renderVariants: () => renderVariants(target),
    readText: () => readText(target),
    describeImage: () => describeImage(target),
    indexImage: () => indexImage(target),
  };
}
