import { defaultPayloadConverter } from '@temporalio/common';
import { tsToMs } from '@temporalio/common/lib/time.js';
import proto, { type temporal } from '@temporalio/proto';
import { MEDIA_TYPES } from '../../domain/media.ts';
import { fastPathOf } from '../../domain/pipelines/index.ts';
import { foldHistory } from '../../temporal/status/fold-history.ts';
import type { Snapshot } from './snapshots.ts';

type History = temporal.api.history.v1.IHistory;
type HistoryEvent = temporal.api.history.v1.IHistoryEvent;
const { EventType } = proto.temporal.api.enums.v1;

/** The component statuses of a file after an event. */
export interface PassedState {
  at: number;
  statuses: Record<string, string>;
  /** Whether the row has this state: the event records a write, or the end after the last write. */
  written: boolean;
}

/** Tolerance for the rounding of the clocks of the engine and the test. */
const SLACK_MS = 50;
/** Workflow tasks, half of all events, which do not change a status themselves. */
const DECISIONS = new Set<unknown>([
  EventType.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED,
  EventType.EVENT_TYPE_WORKFLOW_TASK_STARTED,
  EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED,
]);
const FAST_PATHS = new Set<string | undefined>(MEDIA_TYPES.map((medium) => fastPathOf(medium)?.activity));
const WRITES = new Set(['beginFileWork', ...FAST_PATHS, 'projectFile', 'finishFileWork']);

/** The states that the runs of a file passed through, oldest run first. */
export function stateHistory(runs: readonly History[]): PassedState[] {
  return runs.flatMap((run) => {
    const events = inTime(run.events ?? []);
    let statuses: Record<string, string> = {};
    return events.flatMap((event, index) => {
      if (!DECISIONS.has(event.eventType)) {
        const { components } = foldHistory({ events: events.slice(0, index + 1) }, 'run');
        statuses = Object.fromEntries(Object.entries(components).map(([name, { status }]) => [name, status]));
      }
      const state = { at: timeOf(event), statuses, written: isWrite(event, events) };
      return isFastPathStart(event, events) ? [state, { ...state, statuses: inProgress(statuses) }] : [state];
    });
  });
}

/**
 * Statuses in a snapshot that the file cannot have had during the request; empty if the snapshot is consistent.
 *
 * The API overlays the row with running steps. It may therefore return any status between the last write before the
 * request and the response, and those of the next write, which the history records only after its completion.
 */
export function inconsistencies(states: readonly PassedState[], snapshot: Snapshot): string[] {
  const { askedAt, answeredAt, statuses } = snapshot;
  const from = states.findLastIndex(({ at, written }) => written && at <= askedAt - SLACK_MS);
  const until = states.findLastIndex(({ at }) => at <= answeredAt + SLACK_MS);
  const next = states.findIndex(({ written }, index) => written && index > until);
  const possible = states.slice(Math.max(0, from), Math.max(0, until) + 1);
  // A retry changes the row before its run starts.
  possible.push(...states.slice(until + 1, until + 2));
  // The history records a write together with later decisions of the same turn.
  const turn = states[next];
  if (turn) possible.push(...states.slice(next).filter(({ at }) => at <= turn.at + SLACK_MS));
  return Object.entries(statuses).flatMap(([component, status]) => {
    const passed = new Set(possible.flatMap(({ statuses }) => statuses[component] ?? []));
    if (passed.size === 0 || passed.has(status)) return [];
    return [`${component} ${status}, where the history has ${[...passed].join(', ')}`];
  });
}

/**
 * Start events are recorded when a step closes, with the time of its last attempt; a step that never closed has none.
 * The start time is therefore exact only for a step that completed at its first attempt; any other may have started as
 * soon as it was scheduled.
 */
function inTime(events: readonly HistoryEvent[]): HistoryEvent[] {
  const started = new Map(
    events.flatMap((event) => {
      const { scheduledEventId: id, attempt } = event.activityTaskStartedEventAttributes ?? {};
      return id ? [[Number(id), { event, attempt: attempt ?? 1 }]] : [];
    }),
  );
  const completed = new Set(
    events.map(({ activityTaskCompletedEventAttributes: of }) => Number(of?.scheduledEventId)),
  );
  const placed = events
    .filter(({ eventType }) => eventType !== EventType.EVENT_TYPE_ACTIVITY_TASK_STARTED)
    .flatMap((event): HistoryEvent[] => {
      if (!event.activityTaskScheduledEventAttributes) return [event];
      const known = started.get(Number(event.eventId));
      if (known?.attempt === 1 && completed.has(Number(event.eventId))) return [event, known.event];
      const begun: HistoryEvent = {
        ...known?.event,
        eventType: EventType.EVENT_TYPE_ACTIVITY_TASK_STARTED,
        eventTime: event.eventTime ?? null,
        activityTaskStartedEventAttributes: { scheduledEventId: event.eventId ?? null, attempt: 1 },
      };
      return [event, begun];
    });
  return placed.toSorted((a, b) => timeOf(a) - timeOf(b));
}

/** During a fast path, the components in progress are only in its heartbeats, which the history does not keep. */
function inProgress(statuses: Record<string, string>): Record<string, string> {
  const begun = (status: string) => (['pending', 'queued'].includes(status) ? 'processing' : status);
  return Object.fromEntries(Object.entries(statuses).map(([name, status]) => [name, begun(status)]));
}

function isFastPathStart(event: HistoryEvent, events: readonly HistoryEvent[]): boolean {
  const scheduledId = event.activityTaskStartedEventAttributes?.scheduledEventId;
  return Boolean(scheduledId) && FAST_PATHS.has(activityType(scheduledId, events));
}

function activityType(scheduledId: unknown, events: readonly HistoryEvent[]): string {
  const scheduled = events.find(
    ({ eventId, activityTaskScheduledEventAttributes: of }) => of && Number(eventId) === Number(scheduledId),
  );
  return scheduled?.activityTaskScheduledEventAttributes?.activityType?.name ?? '';
}

function isWrite(event: HistoryEvent, events: readonly HistoryEvent[]): boolean {
  if (event.eventType === EventType.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED) return true;
  const marker = event.markerRecordedEventAttributes;
  if (marker) {
    const payload = marker.details?.['data']?.payloads?.[0];
    if (marker.markerName !== 'core_local_activity' || marker.failure || !payload) return false;
    const { activity_type: type } = defaultPayloadConverter.fromPayload<{ activity_type?: string }>(payload);
    return WRITES.has(type ?? '');
  }
  const scheduled = event.activityTaskCompletedEventAttributes?.scheduledEventId;
  if (!scheduled) return false;
  return WRITES.has(activityType(scheduled, events));
}

const timeOf = ({ eventTime }: HistoryEvent): number => (eventTime ? tsToMs(eventTime) : 0);
