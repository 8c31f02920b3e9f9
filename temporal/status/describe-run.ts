import { WorkflowNotFoundError } from '@temporalio/client';
import { optionalTsToDate } from '@temporalio/common/lib/time.js';
import proto, { type temporal } from '@temporalio/proto';
import type { ComponentName, FailureReason } from '../../domain/components.ts';
import type { OperatorPause, WaitingStep } from '../../domain/explain.ts';
import { findStep, isFirstStep } from '../../domain/pipelines/index.ts';
import { printable } from '../../domain/printable.ts';
import type { RunOutcome } from '../../domain/timeline.ts';
import type { Engine } from '../client.ts';
import { SESSION_PAUSED } from '../contract/failures.ts';
import { fileWorkflowId } from '../contract/ids.ts';
import type { ProcessFileMemo } from '../contract/process-file.ts';
import { SEARCH_ATTRIBUTES } from '../contract/search-attributes.ts';
import { reason } from './fold-history.ts';

/** An unfinished step, as the engine currently sees it. */
export interface PendingStep extends WaitingStep {
  /** Activity type. */
  step: string;
  component: ComponentName;
  /** Whether the component is in progress: this step has an attempt running, or an earlier step is done. */
  begun: boolean;
  lastFailure?: FailureReason;
}

/** Any unfinished activity, whether a step or not. */
export interface PendingActivity extends Omit<WaitingStep, 'title' | 'lastFailure'> {
  id: string;
  type: string;
  lastFailure?: FailureReason;
  /** End of the last failed attempt. */
  lastEndedAt?: Date;
}

/** The workflow's pending workflow task. */
export interface PendingDecision {
  state: 'waiting' | 'running';
  attempt: number;
  /** Of the first attempt. */
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
 * Asks the engine for the newest run of a file.
 *
 * @returns undefined when the engine does not know the workflow
 * @throws EngineUnavailable after `milliseconds`
 */
export async function describeRun(
  engine: Engine,
  fileId: string,
  milliseconds: number,
): Promise<RunView | undefined> {
  try {
    const description = await engine.within(milliseconds, (client) =>
      client.workflow.getHandle(fileWorkflowId(fileId)).describe(),
    );
    const memo = description.memo as Partial<ProcessFileMemo> | undefined;
    const mediaType = description.typedSearchAttributes.get(SEARCH_ATTRIBUTES.mediaType) ?? '';
    const activities = (description.raw.pendingActivities ?? []).map(pendingActivity);
    const decision = description.raw.pendingWorkflowTask;
    const paused = description.raw.workflowExtendedInfo?.pauseInfo;
    return {
      runId: description.runId,
      outcome: runOutcome(description.status.name),
      generation: memo?.generation ?? 1,
      startedAt: description.startTime,
      pending: activities.flatMap((activity) => pendingStep(mediaType, activity)),
      activities,
      ...(decision && { decision: pendingDecision(decision) }),
      ...(paused && { operatorPause: operatorPause(paused.pausedTime, paused) }),
      cancelRequested: description.raw.workflowExtendedInfo?.cancelRequested ?? false,
      workflowTaskAttempt: description.raw.pendingWorkflowTask?.attempt ?? 1,
    };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

function pendingActivity(info: temporal.api.workflow.v1.IPendingActivityInfo): PendingActivity {
  const { PENDING_ACTIVITY_STATE_STARTED } = proto.temporal.api.enums.v1.PendingActivityState;
  const lastFailure = reason(info.lastFailure);
  const { pauseTime, manual } = info.pauseInfo ?? {};
  return {
    id: info.activityId ?? '',
    type: info.activityType?.name ?? '',
    state: info.state === PENDING_ACTIVITY_STATE_STARTED ? 'running' : 'waiting',
    attempt: info.attempt ?? 1,
    maximumAttempts: info.maximumAttempts ?? 0,
    ...date('scheduledAt', info.scheduledTime),
    ...date('lastStartedAt', info.lastStartedTime),
    ...date('lastHeartbeatAt', info.lastHeartbeatTime),
    ...date('nextAttemptAt', info.nextAttemptScheduleTime),
    ...date('lastEndedAt', info.lastAttemptCompleteTime),
    ...(lastFailure?.code === SESSION_PAUSED ? { sessionPaused: true } : lastFailure && { lastFailure }),
    ...(info.paused && { operatorPause: operatorPause(pauseTime, manual) }),
  };
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

function pendingStep(mediaType: string, { type, ...activity }: PendingActivity): PendingStep[] {
  const found = findStep(mediaType, type);
  if (!found) return [];
  const { component, step } = found;
  const begun = activity.state === 'running' || !isFirstStep(mediaType, type);
  return [{ step: type, component: component.name, title: step.title, begun, ...activity }];
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
