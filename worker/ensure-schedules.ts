import {
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
  type ScheduleDescription,
  type ScheduleOptions,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { isDeepStrictEqual } from 'node:util';
import { TRASH_DAYS } from '../domain/limits.ts';
import type { Engine } from '../temporal/client.ts';
import type { PurgeFilesInput } from '../temporal/contract/purge-files.ts';
import { QUEUES } from '../temporal/contract/queues.ts';
import { type DispatchPendingInput, SCHEDULE_IDS, SCHEDULE_PREFIX } from '../temporal/contract/schedules.ts';

const DEADLINE_MS = 10_000;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const CATCH_UP_MS = MINUTE;

interface Plan {
  scheduleId: string;
  workflowType: string;
  args: unknown[];
  everyMs: number;
  /** Execution timeout, including continued-as-new runs; absent for a workflow that never ends. */
  timeoutMs?: number;
}

const PURGE: PurgeFilesInput = { days: TRASH_DAYS, byFile: true };
/** A deployment meets workflow code of an earlier one for as long; each run leaves 17 events. */
const SWEEP: DispatchPendingInput = { seconds: (6 * HOUR) / SECOND };
const PLANS: readonly Plan[] = [
  {
    scheduleId: SCHEDULE_IDS.dispatchPending,
    workflowType: 'dispatchPending',
    args: [SWEEP],
    // Always running: the schedule only starts it again after an operator has ended it.
    everyMs: MINUTE,
  },
  {
    scheduleId: SCHEDULE_IDS.reconcileStale,
    workflowType: 'reconcileStale',
    args: [],
    everyMs: 10 * MINUTE,
    timeoutMs: 2 * HOUR,
  },
  {
    scheduleId: SCHEDULE_IDS.purge,
    workflowType: 'purgeFiles',
    args: [PURGE],
    everyMs: HOUR,
    timeoutMs: 12 * HOUR,
  },
  {
    scheduleId: SCHEDULE_IDS.maintainUsageTables,
    workflowType: 'maintainUsageTables',
    args: [],
    everyMs: 10 * MINUTE,
    timeoutMs: 2 * HOUR,
  },
];

/**
 * Creates missing schedules, updates existing ones to match the plans, and deletes those under our prefix that are no
 * longer planned. A schedule paused by an operator stays paused. Safe to run from several workers at once.
 */
export async function ensureSchedules(engine: Engine): Promise<void> {
  for (const plan of PLANS) await ensure(engine, plan);
  await deleteRetired(engine, new Set(PLANS.map(({ scheduleId }) => scheduleId)));
}

async function ensure(engine: Engine, plan: Plan): Promise<void> {
  const { scheduleId } = plan;
  try {
    await engine.within(DEADLINE_MS, (client) =>
      client.schedule.create({
        scheduleId,
        ...planned(plan),
        state: { triggerImmediately: plan.timeoutMs === undefined },
      }),
    );
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    await engine.within(DEADLINE_MS, async ({ schedule }) => {
      const handle = schedule.getHandle(scheduleId);
      if (isAsPlanned(await handle.describe(), plan)) return;
      await handle.update(({ state }) => ({ state, ...planned(plan) }));
    });
  }
}

async function deleteRetired(engine: Engine, wanted: ReadonlySet<string>): Promise<void> {
  await engine.within(DEADLINE_MS, async ({ schedule, workflow }) => {
    for await (const { scheduleId } of schedule.list()) {
      if (!scheduleId.startsWith(SCHEDULE_PREFIX) || wanted.has(scheduleId)) continue;
      const handle = schedule.getHandle(scheduleId);
      const running = await handle.describe().then(({ info }) => info.runningActions, unlessGone);
      await handle.delete().catch(unlessGone);
      // Its type may be gone, and a self-repeating run never ends.
      for (const { workflow: run } of running ?? [])
        await workflow.getHandle(run.workflowId).terminate('its schedule is retired').catch(unlessGone);
    }
  });
}

/** Another worker deleted it first, or the run has ended. */
function unlessGone(error: unknown): void {
  if (!(error instanceof ScheduleNotFoundError || error instanceof WorkflowNotFoundError)) throw error;
}

function planned({ scheduleId, workflowType, args, everyMs, timeoutMs }: Plan) {
  return {
    spec: { intervals: [{ every: everyMs }] },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: CATCH_UP_MS },
    action: {
      type: 'startWorkflow',
      workflowType,
      args,
      workflowId: scheduleId,
      taskQueue: QUEUES.workflows,
      ...(timeoutMs !== undefined && { workflowExecutionTimeout: timeoutMs }),
    },
  } satisfies Omit<ScheduleOptions, 'scheduleId'>;
}

function isAsPlanned({ spec, policies, action }: ScheduleDescription, plan: Plan): boolean {
  const { workflowType, args, workflowId, taskQueue, workflowExecutionTimeout } = action;
  const calendars = [spec.calendars, spec.skip].flatMap((entries) => entries ?? []);
  return isDeepStrictEqual(
    {
      every: spec.intervals?.map(({ every, offset }) => every + (offset ?? 0)),
      calendars,
      policies: [policies.overlap, policies.catchupWindow],
      action: [workflowType, args ?? [], workflowId, taskQueue, workflowExecutionTimeout],
    },
    {
      every: [plan.everyMs],
      calendars: [],
      policies: [ScheduleOverlapPolicy.SKIP, CATCH_UP_MS],
      action: [plan.workflowType, plan.args, plan.scheduleId, QUEUES.workflows, plan.timeoutMs],
    },
  );
}
