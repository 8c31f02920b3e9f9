import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { ComponentName } from '../../domain/components.ts';
import type { ProcessFileInput } from '../../temporal/contract/process-file.ts';
import { PRIORITIES, QUEUES, visionQueue } from '../../temporal/contract/queues.ts';
import { cpuBound, vision } from '../activity-options.ts';

/** How each component of a file is made: one activity on the queue of its class of work. */
export function createFileSteps(
  { fileId, tenantId, generation, priority }: ProcessFileInput,
  visionProvider: string,
): Record<ComponentName, () => Promise<void>> {
  const lane = { priority: { priorityKey: PRIORITIES[priority], fairnessKey: tenantId } };
  const target = { fileId, tenantId, generation };

  const { renderVariants } = proxyActivities<Activities>({
    ...cpuBound,
    ...lane,
    taskQueue: QUEUES.cpu,
    summary: 'Variants, blur hash and measurements',
  });
  const { describeImage } = proxyActivities<Activities>({
    ...vision,
    ...lane,
    taskQueue: visionQueue(visionProvider),
    summary: `Description by ${visionProvider}`,
  });

  return {
    variant: () => renderVariants(target),
    description: () => describeImage(target),
  };
}
