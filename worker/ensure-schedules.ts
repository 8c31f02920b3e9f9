import { ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';
import type { Duration } from '@temporalio/common';
import type { Engine } from '../temporal/client.ts';
import { SCHEDULE_IDS } from '../temporal/contract/ids.ts';
import { QUEUES } from '../temporal/contract/queues.ts';

const DEADLINE_MS = 10_000;

interface Plan {
  scheduleId: string;
  workflowType: string;
  every: Duration;
  timeout: Duration;
}

const PLANS: readonly Plan[] = [
  { scheduleId: SCHEDULE_IDS.orphanSweep, workflowType: 'sweepOrphans', every: '30s', timeout: '10 min' },
  { scheduleId: SCHEDULE_IDS.lostWork, workflowType: 'recoverLostWork', every: '10 min', timeout: '2 h' },
];

/** Creates the schedules that are not there yet. Any number of workers may do so at once. */
export async function ensureSchedules(engine: Engine): Promise<void> {
  for (const plan of PLANS) await ensure(engine, plan);
}

async function ensure(engine: Engine, { scheduleId, workflowType, every, timeout }: Plan): Promise<void> {
  try {
    await engine.within(DEADLINE_MS, (client) =>
      client.schedule.create({
        scheduleId,
        spec: { intervals: [{ every }] },
        policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 min' },
        action: {
          type: 'startWorkflow',
          workflowType,
          workflowId: scheduleId,
          taskQueue: QUEUES.workflows,
          workflowExecutionTimeout: timeout,
        },
      }),
    );
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
}
