import { defaultFailureConverter, defaultPayloadConverter } from '@temporalio/common';
import { tsToDate } from '@temporalio/common/lib/time.js';
import proto, { type temporal } from '@temporalio/proto';
import { outstanding, type Components, type FailureReason } from '../../domain/components.ts';
import { applyFileEvent } from '../../domain/file-events.ts';
import type { RunOutcome, TimelineRun, TimelineStep } from '../../domain/timeline.ts';
import { printable } from '../../domain/printable.ts';
import { failureReason } from '../contract/failures.ts';
import { FILE_STEPS, isFileStep, isLastStep, type FileStep } from '../contract/file-steps.ts';
import { QUEUEING_WRITES, type ProcessFileInput, type ProcessFileResult } from '../contract/process-file.ts';
import { pausedSince } from './pause-in-history.ts';

type History = temporal.api.history.v1.IHistory;
type HistoryEvent = temporal.api.history.v1.IHistoryEvent;
const { EventType } = proto.temporal.api.enums.v1;

/** All that the engine knows of one run of `processFile`. */
export interface FoldedRun {
  input: ProcessFileInput;
  /** What the components are by this history; equal to the row's once the run has ended. */
  components: Components;
  timeline: TimelineRun;
  /** The run found its file closed, deleted or taken over, and touched nothing: an earlier run has the truth. */
  superseded: boolean;
  /** Since when it holds with its session; undefined when it does not, or has ended. */
  pausedSince: Date | undefined;
}

/**
 * Folds the event history of one `processFile` run into component statuses and a timeline, by the reducer that the
 * workflow itself uses. Nothing but the history goes in, so it holds with every worker dead.
 *
 * @throws Error when the history does not begin with a start event
 */
export function foldHistory(history: History, runId: string): FoldedRun {
  const events = history.events ?? [];
  const start = events[0]?.workflowExecutionStartedEventAttributes;
  const payload = start?.input?.payloads?.[0];
  if (!events[0] || !payload) throw new Error('the history has no start event');
  const input = defaultPayloadConverter.fromPayload<ProcessFileInput>(payload);

  const fold = new RunFold(input, runId, time(events[0]));
  for (const event of events) fold.add(event);
  const { components, timeline, superseded } = fold;
  const held = timeline.outcome === 'running' ? pausedSince(events, input.generation) : undefined;
  return { input, components, timeline, superseded, pausedSince: held };
}

class RunFold {
  components: Components;
  superseded = false;
  readonly timeline: TimelineRun;
  readonly #steps = new Map<number, TimelineStep & { step: FileStep }>();
  /** Scheduled events of writes that did not succeed as local activities. */
  readonly #writes = new Set<number>();

  constructor(input: ProcessFileInput, runId: string, startedAt: string) {
    this.components = input.components;
    this.timeline = { generation: input.generation, runId, startedAt, outcome: 'running', steps: [] };
  }

  add(event: HistoryEvent): void {
    const at = time(event);
    switch (event.eventType) {
      case EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED:
        return this.#scheduled(event, at);
      case EventType.EVENT_TYPE_ACTIVITY_TASK_STARTED:
        return this.#started(event, at);
      case EventType.EVENT_TYPE_MARKER_RECORDED:
        return isQueueingWrite(event) ? this.#queued(at) : undefined;
      case EventType.EVENT_TYPE_ACTIVITY_TASK_COMPLETED:
        if (this.#writes.has(Number(event.activityTaskCompletedEventAttributes?.scheduledEventId))) {
          return this.#queued(at);
        }
        return this.#ended(event.activityTaskCompletedEventAttributes?.scheduledEventId, at, 'completed');
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
      case EventType.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED:
        this.superseded = isSuperseded(event);
        this.#completeWhatRan(at);
        return this.#closed(at, 'completed');
      case EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CANCELED:
        this.components = applyFileEvent(this.components, { type: 'run_cancelled', at });
        return this.#closed(at, 'cancelled');
      case EventType.EVENT_TYPE_WORKFLOW_EXECUTION_FAILED:
        return this.#abnormal(at, 'failed', reason(event.workflowExecutionFailedEventAttributes?.failure));
      case EventType.EVENT_TYPE_WORKFLOW_EXECUTION_TIMED_OUT:
        return this.#abnormal(at, 'timed_out', {
          code: 'WORKFLOW_TIMED_OUT',
          message: 'the workflow ran out of its time',
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
    if (QUEUEING_WRITES.includes(type)) this.#writes.add(Number(event.eventId));
    if (!isFileStep(type)) return;
    const { component } = FILE_STEPS[type];
    const step: TimelineStep & { step: FileStep } = {
      step: type,
      component,
      attempt: 0,
      scheduledAt: at,
      outcome: 'waiting',
    };
    this.#steps.set(Number(event.eventId), step);
    this.timeline.steps.push(step);
    this.components = applyFileEvent(this.components, { type: 'step_scheduled', component, at });
  }

  /** The row shows the next component as queued before its first step, which a pause may hold back, is scheduled. */
  #queued(at: string): void {
    const [component] = outstanding(this.components);
    if (component)
      this.components = applyFileEvent(this.components, { type: 'step_scheduled', component, at });
  }

  /** Written only when an attempt closes: then it names the attempt and why the one before it failed. */
  #started(event: HistoryEvent, at: string): void {
    const attributes = event.activityTaskStartedEventAttributes;
    const step = this.#steps.get(Number(attributes?.scheduledEventId));
    if (!step) return;
    step.attempt = attributes?.attempt ?? 1;
    step.startedAt = at;
    step.outcome = 'running';
    const lastFailure = reason(attributes?.lastFailure);
    if (lastFailure) step.error = lastFailure;
    this.components = applyFileEvent(this.components, {
      type: 'step_started',
      component: step.component,
      at,
    });
  }

  #ended(id: unknown, at: string, outcome: 'completed' | 'cancelled' | 'failed', why?: FailureReason): void {
    const step = this.#steps.get(Number(id));
    if (!step) return;
    step.endedAt = at;
    step.outcome = outcome;
    if (why) step.error = why;
    const { component } = step;
    if (outcome === 'completed' && isLastStep(step.step)) {
      this.components = applyFileEvent(this.components, { type: 'step_completed', component, at });
    } else if (outcome === 'failed') {
      const failure = why ?? { code: 'INTERNAL', message: 'unknown failure' };
      this.components = applyFileEvent(this.components, {
        type: 'step_failed',
        component,
        at,
        reason: failure,
      });
    }
  }

  /** A run that ended in good order under an older pipeline may have had fewer steps to a component than today's. */
  #completeWhatRan(at: string): void {
    for (const { component } of this.timeline.steps) {
      const steps = this.timeline.steps.filter((step) => step.component === component);
      if (!steps.every(({ outcome }) => outcome === 'completed')) continue;
      this.components = applyFileEvent(this.components, { type: 'step_completed', component, at });
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

/** Whether this is the mark that a local activity leaves when it has succeeded, and of which. */
function isQueueingWrite({ markerRecordedEventAttributes: marker }: HistoryEvent): boolean {
  const payload = marker?.details?.['data']?.payloads?.[0];
  if (marker?.markerName !== 'core_local_activity' || marker.failure || !payload) return false;
  const { activity_type: type } = defaultPayloadConverter.fromPayload<{ activity_type?: string }>(payload);
  return type !== undefined && QUEUEING_WRITES.includes(type);
}

function isSuperseded(event: HistoryEvent): boolean {
  const payload = event.workflowExecutionCompletedEventAttributes?.result?.payloads?.[0];
  if (!payload) return false;
  return defaultPayloadConverter.fromPayload<ProcessFileResult>(payload).outcome === 'superseded';
}

function time(event: HistoryEvent): string {
  return event.eventTime ? tsToDate(event.eventTime).toISOString() : new Date(0).toISOString();
}

/** A recorded failure in words for people, or undefined for none. */
export function reason(
  failure: temporal.api.failure.v1.IFailure | null | undefined,
): FailureReason | undefined {
  if (!failure) return undefined;
  return failureReason(defaultFailureConverter.failureToError(failure, defaultPayloadConverter));
}

/** Why a run was terminated, in words for people. */
export function terminatedMessage(why: string | null | undefined): string {
  const text = printable(why ?? '');
  return text ? `the workflow was terminated: ${text}` : 'the workflow was terminated';
}
