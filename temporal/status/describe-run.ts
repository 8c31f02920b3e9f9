import { WorkflowNotFoundError } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { optionalTsToDate } from '@temporalio/common/lib/time.js';
import proto, { type temporal } from '@temporalio/proto';
import type { ComponentName, FailureReason } from '../../domain/components.ts';
import type { OperatorPause, WaitingStep } from '../../domain/explain.ts';
import { componentsOf, fastPathOf, findStep, isFirstStep } from '../../domain/pipelines/index.ts';
import { printable } from '../../domain/text.ts';
import type { RunOutcome } from '../../domain/timeline.ts';
import type { Engine } from '../client.ts';
import { isWait, UPLOAD_SESSION_PAUSED } from '../contract/failures.ts';
import { FILE_WORKFLOWS, type HeartbeatDetails } from '../contract/process-file.ts';
import { SEARCH_ATTRIBUTES } from '../contract/search-attributes.ts';
import { reason } from './fold-history.ts';
import type { GenerationMemo } from '../contract/workflow.ts';

/** An unfinished step, as the engine currently sees it. */
export interface PendingStep extends WaitingStep {
  /** Activity type. */
  step: string;
  component: ComponentName;
  /** Components in progress: this step has an attempt running, or an earlier step is done. */
  begun: readonly ComponentName[];
  lastFailure?: FailureReason;
}

/** Any unfinished activity, whether a step or not. */
export interface PendingActivity extends Omit<WaitingStep, 'title' | 'lastFailure'> {
  id: string;
  type: string;
  /** The step that a fast path has reported to be working on. */
  reportedStep?: string;
  lastFailure?: FailureReason;
  /** End of the last failed attempt. */
  lastEndedAt?: Date;
  /** The task queue, as far as the engine reports it. */
  queue?: string;
  /** Start of the child's run, for an activity of a child: the run's own history does not have it. */
  childStartedAt?: Date;
}

/** The workflow's pending workflow task. */
export interface PendingDecision {
  state: 'waiting' | 'running';
  attempt: number;
  /** When the first attempt was scheduled. */
  scheduledAt?: Date;
  lastStartedAt?: Date;
}

/** The newest run of a file's workflow, as the engine reports it without any worker. */
export interface RunView {
  runId: string;
  outcome: RunOutcome;
  generation: number;
  startedAt: Date;
  pending: PendingStep[];
  activities: PendingActivity[];
  decision?: PendingDecision;
  /** Set while an operator has paused the whole workflow in the engine. */
  operatorPause?: OperatorPause;
  /** Whether its cancellation was requested, which needs a worker to take effect. */
  cancelRequested: boolean;
  /** Grows when the workflow's own code fails repeatedly, which only a deploy can fix. */
  workflowTaskAttempt: number;
}

/** Status names of the engine as outcomes of a run. */
const OUTCOMES: Readonly<Record<string, RunOutcome>> = {
  RUNNING: 'running',
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  TERMINATED: 'terminated',
  TIMED_OUT: 'timed_out',
};

export function runOutcome(status: string): RunOutcome {
  return OUTCOMES[status] ?? 'running';
}

/**
 * Reads the newest run of a file from the engine.
 *
 * @returns undefined when the engine has no such workflow
 * @throws EngineUnavailable after `milliseconds`
 */
export async function describeRun(
  engine: Engine,
  fileId: string,
  milliseconds: number,
): Promise<RunView | undefined> {
  const description = await describeUnlessAbsent(engine, FILE_WORKFLOWS.of(fileId), milliseconds);
  if (!description) return undefined;
  const memo = description.memo as Partial<GenerationMemo> | undefined;
  const mediaType = description.typedSearchAttributes.get(SEARCH_ATTRIBUTES.mediaType) ?? '';
  const own = (description.raw.pendingActivities ?? []).map(pendingActivity);
  const children = await describeChildren(engine, description.raw.pendingChildren ?? [], milliseconds);
  const activities = [...own, ...children.flatMap((child) => child.activities)];
  const decision = description.raw.pendingWorkflowTask;
  const paused = description.raw.workflowExtendedInfo?.pauseInfo;
  return {
    runId: description.runId,
    outcome: runOutcome(description.status.name),
    generation: memo?.generation ?? 1,
    startedAt: description.startTime,
    pending: [
      ...own.flatMap((activity) => pendingStep(mediaType, activity)),
      ...children.flatMap((child) => pendingChildStep(mediaType, child)),
    ],
    activities,
    ...(decision && { decision: pendingDecision(decision) }),
    ...(paused && { operatorPause: operatorPause(paused.pausedTime, paused) }),
    cancelRequested: description.raw.workflowExtendedInfo?.cancelRequested ?? false,
    workflowTaskAttempt: description.raw.pendingWorkflowTask?.attempt ?? 1,
  };
}

/** A step that is a child workflow. */
interface PendingChild {
  type: string;
  startedAt: Date;
  activities: PendingActivity[];
}

async function describeChildren(
  engine: Engine,
  pending: readonly temporal.api.workflow.v1.IPendingChildExecutionInfo[],
  milliseconds: number,
): Promise<PendingChild[]> {
  const described = await Promise.all(
    pending.map(async ({ workflowId, workflowTypeName }): Promise<PendingChild[]> => {
      // One that is being started is not known yet.
      const { raw, startTime } = (await describeUnlessAbsent(engine, workflowId ?? '', milliseconds)) ?? {};
      if (!raw || !startTime) return [];
      const activities = (raw.pendingActivities ?? []).map((activity) => ({
        ...pendingActivity(activity),
        childStartedAt: startTime,
      }));
      return [{ type: workflowTypeName ?? '', startedAt: startTime, activities }];
    }),
  );
  return described.flat();
}

async function describeUnlessAbsent(engine: Engine, workflowId: string, milliseconds: number) {
  try {
    return await engine.within(milliseconds, (client) => client.workflow.getHandle(workflowId).describe());
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

/** A child's failed activity explains the step best, otherwise one that runs. */
function pendingChildStep(mediaType: string, { type, startedAt, activities }: PendingChild): PendingStep[] {
  const found = findStep(mediaType, type);
  if (!found) return [];
  const live =
    activities.find(
      ({ lastFailure, operatorPause, sessionPaused }) => lastFailure ?? operatorPause ?? sessionPaused,
    ) ??
    activities.find(({ state }) => state === 'running') ??
    activities[0];
  const component = found.component.name;
  const waiting = { state: 'waiting', attempt: 1, maximumAttempts: 0, scheduledAt: startedAt } as const;
  return [{ step: type, component, title: found.step.title, begun: [component], ...(live ?? waiting) }];
}

const {
  PENDING_ACTIVITY_STATE_STARTED,
  PENDING_ACTIVITY_STATE_PAUSE_REQUESTED,
  PENDING_ACTIVITY_STATE_CANCEL_REQUESTED,
} = proto.temporal.api.enums.v1.PendingActivityState;
/** An attempt that is to be paused or cancelled is in progress until it has ended. */
const ATTEMPT_RUNNING: ReadonlySet<number> = new Set([
  PENDING_ACTIVITY_STATE_STARTED,
  PENDING_ACTIVITY_STATE_PAUSE_REQUESTED,
  PENDING_ACTIVITY_STATE_CANCEL_REQUESTED,
]);

function pendingActivity(info: temporal.api.workflow.v1.IPendingActivityInfo): PendingActivity {
  const lastFailure = reason(info.lastFailure);
  const { pauseTime, manual } = info.pauseInfo ?? {};
  return {
    id: info.activityId ?? '',
    type: info.activityType?.name ?? '',
    state: info.state && ATTEMPT_RUNNING.has(info.state) ? 'running' : 'waiting',
    attempt: info.attempt ?? 1,
    maximumAttempts: info.maximumAttempts ?? 0,
    ...date('scheduledAt', info.scheduledTime),
    ...date('lastStartedAt', info.lastStartedTime),
    ...date('lastHeartbeatAt', info.lastHeartbeatTime),
    ...date('nextAttemptAt', info.nextAttemptScheduleTime),
    ...date('lastEndedAt', info.lastAttemptCompleteTime),
    ...(lastFailure?.code === UPLOAD_SESSION_PAUSED && { sessionPaused: true }),
    ...(lastFailure && !isWait(lastFailure.code) && { lastFailure }),
    ...(info.paused && { operatorPause: operatorPause(pauseTime, manual) }),
    ...(info.activityOptions?.taskQueue?.name && { queue: info.activityOptions.taskQueue.name }),
    ...reportedStep(info.heartbeatDetails?.payloads?.[0]),
  };
}

function reportedStep(
  details: temporal.api.common.v1.IPayload | undefined,
): Pick<PendingActivity, 'reportedStep'> {
  const { step } = details ? defaultPayloadConverter.fromPayload<HeartbeatDetails>(details) : {};
  return step === undefined ? {} : { reportedStep: step };
}

function operatorPause(
  at: Parameters<typeof optionalTsToDate>[0],
  by: { identity?: string | null; reason?: string | null } | null | undefined,
): OperatorPause {
  return {
    ...date('since', at),
    ...(by?.identity && { identity: printable(by.identity, 100) }),
    ...(by?.reason && { reason: printable(by.reason, 500) }),
  };
}

function pendingStep(mediaType: string, { type, reportedStep, ...activity }: PendingActivity): PendingStep[] {
  const isFastPath = fastPathOf(mediaType)?.activity === type;
  const components = componentsOf(mediaType);
  // The first heartbeat comes after a second.
  const name = isFastPath ? (reportedStep ?? components[0]?.steps[0].activity ?? '') : type;
  const found = findStep(mediaType, name);
  if (!found) return [];
  const { component, step } = found;
  const running = activity.state === 'running';
  // A fast path records its components together, at its end.
  const reached = isFastPath ? components.slice(0, components.indexOf(component) + 1) : [component];
  const begun = running || (!isFastPath && !isFirstStep({ mediaType, components: {} }, type)) ? reached : [];
  return [
    {
      step: name,
      component: component.name,
      title: step.title,
      begun: begun.map((each) => each.name),
      ...activity,
    },
  ];
}

function pendingDecision(info: temporal.api.workflow.v1.IPendingWorkflowTaskInfo): PendingDecision {
  const { PENDING_WORKFLOW_TASK_STATE_STARTED } = proto.temporal.api.enums.v1.PendingWorkflowTaskState;
  return {
    state: info.state === PENDING_WORKFLOW_TASK_STATE_STARTED ? 'running' : 'waiting',
    attempt: info.attempt ?? 1,
    ...date('scheduledAt', info.originalScheduledTime ?? info.scheduledTime),
    ...date('lastStartedAt', info.startedTime),
  };
}

function date<K extends string>(
  key: K,
  value: Parameters<typeof optionalTsToDate>[0],
): Partial<Record<K, Date>> {
  const at = optionalTsToDate(value);
  return at ? ({ [key]: at } as Record<K, Date>) : {};
}
