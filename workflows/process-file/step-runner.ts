import { proxyActivities, type ActivityOptions } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { WorkClass } from '../../domain/pipelines/pipeline.ts';
import type { Step, StepActivity } from '../../domain/pipelines/index.ts';
import type { ProcessFileInput } from '../../temporal/contract/process-file.ts';
import { PRIORITIES, QUEUES, visionQueue } from '../../temporal/contract/queues.ts';
import { cpuBound, indexing, ocr, quickIo, vision } from '../activity-options.ts';

const OPTIONS: Readonly<Record<WorkClass, ActivityOptions>> = {
  cpu: cpuBound,
  ocr,
  vision,
  index: indexing,
  io: quickIo,
};

export type StepRunner = (step: Step) => Promise<void>;

/** Runs any step of a file as one activity, on the queue and with the options of its class of work. */
export function createStepRunner(
  { fileId, tenantId, generation, priority }: ProcessFileInput,
  visionProvider: string,
): StepRunner {
  const lane = { priority: { priorityKey: PRIORITIES[priority], fairnessKey: tenantId } };
  const target = { fileId, tenantId, generation };

  return ({ activity, work, summary }) => {
    const activities = proxyActivities<Pick<Activities, StepActivity>>({
      ...OPTIONS[work],
      ...lane,
      ...(work === 'vision'
        ? { taskQueue: visionQueue(visionProvider), summary: `${summary} by ${visionProvider}` }
        : { taskQueue: QUEUES[work], summary }),
    });
    return activities[activity](target);
  };
}
