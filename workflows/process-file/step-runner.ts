import { proxyActivities, workflowInfo, type ActivityOptions } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { FastPathResult } from '../../domain/fast-path.ts';
import type { FastPath, WorkClass } from '../../domain/pipelines/pipeline.ts';
import type { FastPathActivity, Step, StepActivity } from '../../domain/pipelines/index.ts';
import { SETTLE_FAST_PATH, type ProcessFileInput } from '../../temporal/contract/process-file.ts';
import { PRIORITIES, QUEUES, visionQueue } from '../../temporal/contract/queues.ts';
import { cpuBound, indexing, ocr, quickIo, vision } from '../activity-options.ts';

const OPTIONS: Readonly<Record<WorkClass, ActivityOptions>> = {
  cpu: cpuBound,
  ocr,
  vision,
  index: indexing,
  io: quickIo,
};

/** Runs the steps of a file, and its fast path. */
export interface StepRunner {
  /** Runs one step as one activity. */
  run(step: Step): Promise<void>;
  /** @param seq of the row since the run has begun */
  runFastPath(path: FastPath<FastPathActivity>, seq: number): Promise<FastPathResult>;
  /** What the fast path has recorded, and the end of it. */
  settleFastPath(seq: number): Promise<FastPathResult>;
}

/** Each activity runs on the queue and with the options of its class of work. */
export function createStepRunner(
  { fileId, tenantId, generation, priority }: ProcessFileInput,
  visionProvider: string,
): StepRunner {
  const lane = { priority: { priorityKey: PRIORITIES[priority], fairnessKey: tenantId } };
  const target = { fileId, tenantId, generation };

  return {
    run({ activity, work, summary }) {
      const activities = proxyActivities<Pick<Activities, StepActivity>>({
        ...OPTIONS[work],
        ...lane,
        ...(work === 'vision'
          ? { taskQueue: visionQueue(visionProvider), summary: `${summary} by ${visionProvider}` }
          : { taskQueue: QUEUES[work], summary }),
      });
      return activities[activity](target);
    },
    runFastPath({ activity, work, summary }, seq) {
      const activities = proxyActivities<Pick<Activities, FastPathActivity>>({
        ...OPTIONS[work],
        ...lane,
        taskQueue: QUEUES[work],
        summary,
      });
      const runStartedAt = workflowInfo().runStartTime.toISOString();
      return activities[activity]({ ...target, seq, visionProvider, runStartedAt });
    },
    settleFastPath(seq) {
      const activities = proxyActivities<Pick<Activities, typeof SETTLE_FAST_PATH>>({
        ...quickIo,
        ...lane,
        taskQueue: QUEUES.io,
        summary: 'What the fast path has recorded',
      });
      return activities[SETTLE_FAST_PATH]({ ...target, seq });
    },
  };
}
