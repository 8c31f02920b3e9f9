/**
 * The fold of a workflow history. The file is long because the fold is one state over all kinds of events, and no part of
 * it means anything alone.
 */
import { defaultFailureConverter, defaultPayloadConverter } from '@temporalio/common';
import { tsToDate } from '@temporalio/common/lib/time.js';
import proto, { type temporal } from '@temporalio/proto';
import {
  outstanding,
  type ComponentName,
  type Components,
  type FailureReason,
} from '../../domain/components.ts';
import { applyFastPath, timelineOfEnded, type FastPathResult } from '../../domain/fast-path.ts';
import { applyFileEvent } from '../../domain/file-events.ts';
import type { RunOutcome, TimelineRun, TimelineStep } from '../../domain/timeline.ts';
import { fastPathOf, findStep, isLastStep, stepsOf } from '../../domain/pipelines/index.ts';
import { printable } from '../../domain/text.ts';
import type { StepEnd } from '../contract/digitize-document.ts';
import { FILE_FAILED, failureReason, isWait, UPLOAD_SESSION_CANCELLED } from '../contract/failures.ts';
import { SETTLE_FAST_PATH, type ProcessFileInput, type ProcessFileResult } from '../contract/process-file.ts';
import { readTrace } from '../contract/traces.ts';

type History = temporal.api.history.v1.IHistory;
type HistoryEvent = temporal.api.history.v1.IHistoryEvent;
const { EventType } = proto.temporal.api.enums.v1;

/** The engine's complete state of one run of `processFile`. */
export interface FoldedRun {
  input: ProcessFileInput;
  /** The components according to this history; equal to the row's once the run has ended. */
  components: Components;
  timeline: TimelineRun;
  /** The run found its file closed, deleted or superseded and changed nothing: another run is authoritative. */
  superseded: boolean;
}

/**
 * Folds the event history of one `processFile` run into component statuses and a timeline, with the workflow's own
 * reducer. The history is the only input, so this works with every worker down. One file of more than 300 lines, since each
 * kind of event changes the same state.
 *
 * @throws Error when the history does not begin with a start event
 */
export function foldHistory(history: History, runId: string): FoldedRun {
  const events = history.events ?? [];
  const start = events[0]?.workflowExecutionStartedEventAttributes;
  const payload = start?.input?.payloads?.[0];
  if (!events[0] || !payload) throw new Error('the history has no start event');
  const input = defaultPayloadConverter.fromPayload<ProcessFileInput>(payload);

  const traceId = readTrace(start?.header?.fields)?.traceId;

  const fold = new RunFold(input, { runId, ...(traceId && { traceId }) }, time(events[0]));
  for (const event of events) fold.add(event);
  const { components, timeline, superseded } = fold;
  return { input, components, timeline, superseded };
}

class RunFold {
  components: Components;
  superseded = false;
  /** A step found its upload session cancelled: the run counts as cancelled although the engine has no cancellation. */
  #sessionCancelled = false;
  readonly timeline: TimelineRun;
  readonly mediaType: string;
  readonly #steps = new Map<number, TimelineStep>();
  /** The entry of the fast path. */
  #fastPath: TimelineStep | undefined;
  /** Event of the activity that read the recorded results of the fast path. */
  #settled: number | undefined;

  constructor(input: ProcessFileInput, ids: Pick<TimelineRun, 'runId' | 'traceId'>, startedAt: string) {
    this.mediaType = input.mediaType;
    this.components = input.components;
    this.timeline = { generation: input.generation, ...ids, startedAt, outcome: 'running', steps: [] };
  }

  add(event: HistoryEvent): void {
    const at = time(event);
    switch (event.eventType) {
      case EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED:
        return this.#scheduled(event, at);
      case EventType.EVENT_TYPE_ACTIVITY_TASK_STARTED:
        return this.#started(event, at);
      case EventType.EVENT_TYPE_ACTIVITY_TASK_COMPLETED:
        return this.#completed(event, at);
      case EventType.EVENT_TYPE_ACTIVITY_TASK_CANCELED:
        return this.#ended(event.activityTaskCanceledEventAttributes?.scheduledEventId, at, 'cancelled');
      case EventType.EVENT_TYPE_ACTIVITY_TASK_FAILED: {
        const attributes = event.activityTaskFailedEventAttributes;
        return this.#ended(attributes?.scheduledEventId, at, 'failed', reason(attributes?.failure));
      }
      case EventType.EVENT_TYPE_ACTIVITY_TASK_TIMED_OUT: {
        const attributes = event.activityTaskTimedOutEventAttributes;
        return this.#ended(attributes?.scheduledEventId, at, 'failed', reason(attributes?.failure));
      }
      case EventType.EVENT_TYPE_START_CHILD_WORKFLOW_EXECUTION_INITIATED:
        return this.#childScheduled(event, at);
      case EventType.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_STARTED:
        return this.#childStarted(event, at);
      case EventType.EVENT_TYPE_START_CHILD_WORKFLOW_EXECUTION_FAILED:
      case EventType.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_COMPLETED:
      case EventType.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_FAILED:
      case EventType.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_CANCELED:
      case EventType.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_TIMED_OUT:
      case EventType.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_TERMINATED:
        return this.#childEnded(event, at);
      case EventType.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED:
        this.superseded = isSuperseded(event);
        return this.#closed(at, this.#sessionCancelled ? 'cancelled' : 'completed');
      case EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CANCELED:
        this.components = applyFileEvent(this.components, { type: 'run_cancelled', at });
        return this.#closed(at, 'cancelled');
      case EventType.EVENT_TYPE_WORKFLOW_EXECUTION_FAILED: {
        const why = reason(event.workflowExecutionFailedEventAttributes?.failure);
        return why?.code === FILE_FAILED ? this.#closed(at, 'completed') : this.#abnormal(at, 'failed', why);
      }
      case EventType.EVENT_TYPE_WORKFLOW_EXECUTION_TIMED_OUT:
        return this.#abnormal(at, 'timed_out', {
          code: 'WORKFLOW_TIMED_OUT',
          message: 'the workflow timed out',
        });
      case EventType.EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED:
        return this.#abnormal(at, 'terminated', {
          code: 'WORKFLOW_TERMINATED',
          message: terminatedMessage(event.workflowExecutionTerminatedEventAttributes?.reason),
        });
    }
  }

  #scheduled(event: HistoryEvent, at: string): void {
    const type = event.activityTaskScheduledEventAttributes?.activityType?.name ?? '';
    if (type === SETTLE_FAST_PATH) this.#settled = Number(event.eventId);
    const isFastPath = type === fastPathOf(this.mediaType)?.activity;
    // Until it ends, a fast path counts as its first step.
    const name = isFastPath ? this.#firstStep() : type;
    const found = findStep(this.mediaType, name);
    if (!found) return;
    const step = this.#begin(Number(event.eventId), name, found.component.name, at);
    if (isFastPath) this.#fastPath = step;
  }

  #begin(eventId: number, name: string, component: ComponentName, at: string): TimelineStep {
    const step: TimelineStep = { step: name, component, attempt: 0, scheduledAt: at, outcome: 'waiting' };
    this.#steps.set(eventId, step);
    this.timeline.steps.push(step);
    this.components = applyFileEvent(this.components, { type: 'step_scheduled', component, at });
    return step;
  }

  /** A step that is a child workflow. */
  #childScheduled(event: HistoryEvent, at: string): void {
    const type = event.startChildWorkflowExecutionInitiatedEventAttributes?.workflowType?.name ?? '';
    const found = findStep(this.mediaType, type);
    if (found) this.#begin(Number(event.eventId), type, found.component.name, at);
  }

  #childStarted(event: HistoryEvent, at: string): void {
    const id = Number(event.childWorkflowExecutionStartedEventAttributes?.initiatedEventId);
    const step = this.#steps.get(id);
    if (!step) return;
    Object.assign(step, { attempt: 1, startedAt: at, outcome: 'running' });
    this.components = applyFileEvent(this.components, {
      type: 'step_started',
      component: step.component,
      at,
    });
  }

  #childEnded(event: HistoryEvent, at: string): void {
    const completed = event.childWorkflowExecutionCompletedEventAttributes;
    const canceled = event.childWorkflowExecutionCanceledEventAttributes;
    const failed = event.childWorkflowExecutionFailedEventAttributes;
    const terminated = event.childWorkflowExecutionTerminatedEventAttributes;
    const timedOut = event.childWorkflowExecutionTimedOutEventAttributes;
    if (completed) {
      const payload = completed.result?.payloads?.[0];
      const end = payload ? defaultPayloadConverter.fromPayload<StepEnd>(payload) : {};
      return this.#ended(completed.initiatedEventId, at, 'completed', undefined, end.incomplete);
    }
    if (canceled) return this.#ended(canceled.initiatedEventId, at, 'cancelled');
    if (failed) return this.#ended(failed.initiatedEventId, at, 'failed', reason(failed.failure));
    if (terminated) return this.#ended(terminated.initiatedEventId, at, 'failed', CHILD_TERMINATED);
    if (timedOut) return this.#ended(timedOut.initiatedEventId, at, 'failed', CHILD_TIMED_OUT);
    // The workflow of an earlier run had not ended yet, so it is started again.
    const id = Number(event.startChildWorkflowExecutionFailedEventAttributes?.initiatedEventId);
    this.timeline.steps = this.timeline.steps.filter((step) => step !== this.#steps.get(id));
  }

  /** Recorded only when the last attempt closes; names that attempt and why the previous one failed. */
  #started(event: HistoryEvent, at: string): void {
    const attributes = event.activityTaskStartedEventAttributes;
    const step = this.#steps.get(Number(attributes?.scheduledEventId));
    if (!step) return;
    step.attempt = attributes?.attempt ?? 1;
    step.startedAt = at;
    step.outcome = 'running';
    const lastFailure = reason(attributes?.lastFailure);
    if (lastFailure && !isWait(lastFailure.code)) step.error = lastFailure;
    this.components = applyFileEvent(this.components, {
      type: 'step_started',
      component: step.component,
      at,
    });
  }

  #firstStep(): string {
    const [first] = outstanding(this);
    return first ? (stepsOf(this, first)[0]?.activity ?? '') : '';
  }

  #completed(event: HistoryEvent, at: string): void {
    const attributes = event.activityTaskCompletedEventAttributes;
    const scheduledId = Number(attributes?.scheduledEventId);
    const step = this.#steps.get(scheduledId);
    const isSettled = scheduledId === this.#settled;
    if (!isSettled && (!step || step !== this.#fastPath)) return this.#ended(scheduledId, at, 'completed');
    const payload = attributes?.result?.payloads?.[0];
    const result: FastPathResult = payload
      ? defaultPayloadConverter.fromPayload<FastPathResult>(payload)
      : { ended: [] };
    this.components = applyFastPath(this, result);
    if (step) this.#replace(step, result, at);
    else this.timeline.steps.push(...timelineOfEnded(this.mediaType, result.ended, at));
  }

  /** The entry of the fast path gives way to those of its steps. */
  #replace(step: TimelineStep, { ended, lostAt }: FastPathResult, at: string): void {
    if (ended.length === 0 && step.error) {
      // An earlier attempt vanished: this one has only found that nothing was recorded.
      const vanished = lostAt ? findStep(this.mediaType, lostAt) : undefined;
      if (vanished) Object.assign(step, { step: lostAt, component: vanished.component.name });
      Object.assign(step, { outcome: 'failed', attempt: step.attempt - 1, endedAt: at });
      return;
    }
    this.timeline.steps = this.timeline.steps.filter((other) => other !== step);
    this.timeline.steps.push(...timelineOfEnded(this.mediaType, ended, step.scheduledAt));
  }

  #ended(
    id: unknown,
    at: string,
    outcome: 'completed' | 'cancelled' | 'failed',
    why?: FailureReason,
    incomplete?: FailureReason,
  ): void {
    const step = this.#steps.get(Number(id));
    if (!step) return;
    const cancelled = why?.code === UPLOAD_SESSION_CANCELLED;
    step.endedAt = at;
    step.outcome = cancelled ? 'cancelled' : outcome;
    if (why) step.error = why;
    const { component } = step;
    // After a failed fast path, its steps run individually.
    if (step === this.#fastPath) return;
    if (cancelled) {
      this.#sessionCancelled = true;
      this.components = applyFileEvent(this.components, { type: 'run_cancelled', at });
    } else if (outcome === 'completed' && isLastStep(this, step.step)) {
      this.components = applyFileEvent(this.components, {
        type: 'step_completed',
        component,
        at,
        incomplete,
      });
    } else if (outcome === 'failed') {
      const failure = why ?? { code: 'INTERNAL', message: 'unknown failure' };
      this.components = applyFileEvent(this.components, {
        type: 'step_failed',
        mediaType: this.mediaType,
        component,
        at,
        reason: failure,
      });
    }
  }

  #closed(at: string, outcome: RunOutcome, why?: FailureReason): void {
    this.timeline.endedAt = at;
    this.timeline.outcome = outcome;
    if (why) this.timeline.reason = why;
  }

  #abnormal(at: string, outcome: RunOutcome, why?: FailureReason): void {
    const failure = why ?? { code: 'WORKFLOW_FAILED', message: 'the workflow failed' };
    this.components = applyFileEvent(this.components, { type: 'run_ended_abnormally', at, reason: failure });
    this.#closed(at, outcome, failure);
  }
}

/** The failure reasons that the workflow records for these ends of a child. */
const CHILD_TERMINATED: FailureReason = { code: 'TERMINATED', message: 'the workflow was terminated' };
const CHILD_TIMED_OUT: FailureReason = { code: 'TIMED_OUT', message: 'the work exceeded its time limit' };

function isSuperseded(event: HistoryEvent): boolean {
  const payload = event.workflowExecutionCompletedEventAttributes?.result?.payloads?.[0];
  if (!payload) return false;
  return defaultPayloadConverter.fromPayload<ProcessFileResult>(payload).outcome === 'superseded';
}

function time(event: HistoryEvent): string {
  return event.eventTime ? tsToDate(event.eventTime).toISOString() : new Date(0).toISOString();
}

/** The human-readable reason of a recorded failure, if there is one. */
export function reason(
  failure: temporal.api.failure.v1.IFailure | null | undefined,
): FailureReason | undefined {
  if (!failure) return undefined;
  return failureReason(defaultFailureConverter.failureToError(failure, defaultPayloadConverter));
}

/** Human-readable reason of a termination. */
export function terminatedMessage(why: string | null | undefined): string {
  const text = printable(why ?? '');
  return text ? `the workflow was terminated: ${text}` : 'the workflow was terminated';
}
