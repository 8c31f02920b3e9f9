import { ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';
import type { Engine } from '../temporal/client.ts';
import { SCHEDULE_IDS } from '../temporal/contract/ids.ts';
import { QUEUES } from '../temporal/contract/queues.ts';

const DEADLINE_MS = 10_000;

/** Creates the schedules that are not there yet. Any number of workers may do so at once. */
export async function ensureSchedules(engine: Engine): Promise<void> {
  try {
    await engine.within(DEADLINE_MS, (client) =>
      client.schedule.create({
        scheduleId: SCHEDULE_IDS.orphanSweep,
        spec: { intervals: [{ every: '30s' }] },
        policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 min' },
        action: {
          type: 'startWorkflow',
          workflowType: 'sweepOrphans',
          workflowId: SCHEDULE_IDS.orphanSweep,
          taskQueue: QUEUES.workflows,
          workflowExecutionTimeout: '10 min',
        },
      }),
    );
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
}
