import {
  executeChild,
  proxyActivities,
  sleep,
  workflowInfo,
  type ActivityOptions,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { FastPathResult } from '../../domain/fast-path.ts';
import type { FastPath, WorkClass } from '../../domain/pipelines/pipeline.ts';
import type { FastPathActivity, Step, StepActivity, StepWorkflow } from '../../domain/pipelines/index.ts';
import {
  STEP_WORKFLOW_IDS,
  type StepEnd,
  type StepWorkflowInput,
} from '../../temporal/contract/digitize-document.ts';
import { isAlreadyStarted } from '../../temporal/contract/failures.ts';
import { SETTLE_FAST_PATH, type ProcessFileInput } from '../../temporal/contract/process-file.ts';
import { QUEUES, taskPriority, visionQueue } from '../../temporal/contract/queues.ts';
import { searchAttributes } from '../../temporal/contract/search-attributes.ts';
import {
  cpuBound,
  embedding,
  indexing,
  ocr,
  quickIo,
  videoDecoding,
  vision,
  webReading,
} from '../activity-options.ts';
import { named } from '../../temporal/contract/workflow.ts';

type ActivityWork = Exclude<WorkClass, 'child'>;

const OPTIONS: Readonly<Record<ActivityWork, ActivityOptions>> = {
  cpu: cpuBound,
  documents: cpuBound,
  video: videoDecoding,
  ocr,
  vision,
  index: indexing,
  embedding,
  io: quickIo,
  web: webReading,
};
const QUEUE_OF: Readonly<Record<Exclude<ActivityWork, 'vision'>, string>> = {
  ...QUEUES,
  embedding: QUEUES.index,
};
/** Wait for a child of a terminated run, which ends a moment after it. */
const PREDECESSOR = { tries: 60, pause: '500 ms' } as const;

/** Runs the steps of a file, and its fast path. */
export interface StepRunner {
  /** Runs one step, as an activity or as a child workflow. */
  run(step: Step): Promise<StepEnd>;
  /** @param seq `seq` of the row at the start of the run */
  runFastPath(path: FastPath<FastPathActivity>, seq: number): Promise<FastPathResult>;
  /** Ends the fast path and returns its recorded results. */
  settleFastPath(seq: number): Promise<FastPathResult>;
}

/** Each activity runs on the queue and with the options of its class of work. */
export function createStepRunner(
  { fileId, tenantId, mediaType, sessionId, generation, priority, name }: ProcessFileInput,
  visionProvider: string,
): StepRunner {
  const prioritised = { priority: taskPriority(priority, tenantId) };
  const target = { fileId, tenantId, generation };

  async function runChild(type: StepWorkflow, summary: string): Promise<StepEnd> {
    const input: StepWorkflowInput = { ...target, priority, visionProvider };
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await executeChild<(given: StepWorkflowInput) => Promise<StepEnd>>(type, {
          workflowId: STEP_WORKFLOW_IDS[type](fileId),
          args: [input],
          typedSearchAttributes: searchAttributes({ tenantId, sessionId, mediaType }),
          staticSummary: named(name, summary),
          ...prioritised,
        });
      } catch (error) {
        if (!isAlreadyStarted(error) || attempt === PREDECESSOR.tries) throw error;
        await sleep(PREDECESSOR.pause);
      }
    }
  }

  return {
    async run(step) {
      if (isChild(step)) return runChild(step.activity, step.summary);
      if (!isActivity(step)) throw new Error(`${step.activity} is neither an activity nor a workflow`);
      const { activity, work, summary } = step;
      const activities = proxyActivities<Pick<Activities, ActivityStep['activity']>>({
        ...OPTIONS[work],
        ...prioritised,
        ...(work === 'vision'
          ? { taskQueue: visionQueue(visionProvider), summary: `${summary} by ${visionProvider}` }
          : { taskQueue: QUEUE_OF[work], summary }),
      });
      await activities[activity](target);
      return {};
    },
    runFastPath({ activity, work, summary }, seq) {
      const activities = proxyActivities<Pick<Activities, FastPathActivity>>({
        ...OPTIONS[work],
        ...prioritised,
        taskQueue: QUEUE_OF[work],
        summary,
      });
      const runStartedAt = workflowInfo().runStartTime.toISOString();
      return activities[activity]({ ...target, seq, visionProvider, runStartedAt });
    },
    settleFastPath(seq) {
      const activities = proxyActivities<Pick<Activities, typeof SETTLE_FAST_PATH>>({
        ...quickIo,
        ...prioritised,
        taskQueue: QUEUES.io,
        summary: 'What the fast path has recorded',
      });
      return activities[SETTLE_FAST_PATH]({ ...target, seq });
    },
  };
}

type ChildStep = Step & { activity: StepWorkflow };
type ActivityStep = Step & { activity: Exclude<StepActivity, StepWorkflow>; work: ActivityWork };

function isChild(step: Step): step is ChildStep {
  return step.work === 'child';
}

function isActivity(step: Step): step is ActivityStep {
  return step.work !== 'child';
}
