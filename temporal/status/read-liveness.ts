import { tsToDate } from '@temporalio/common/lib/time.js';
import proto, { type temporal } from '@temporalio/proto';
import type { Liveness, PendingWork } from '../../domain/stuck.ts';
import { QUEUES } from '../contract/queues.ts';
import type { PendingActivity, PendingDecision, RunView } from './describe-run.ts';
import type { History } from './fetch-history.ts';
import type { LastSeenOf } from './task-queues.ts';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;
const { EventType } = proto.temporal.api.enums.v1;

/** Events that count as progress. Failed workflow tasks and retried attempts do not. */
const PROGRESS = new Set([
  EventType.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED,
  EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED,
  EventType.EVENT_TYPE_ACTIVITY_TASK_COMPLETED,
  EventType.EVENT_TYPE_ACTIVITY_TASK_FAILED,
  EventType.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_COMPLETED,
]);

/** How the history records a pending activity: describe gives neither its queue nor its first scheduling. */
interface Scheduled {
  at: Date;
  queue: string;
}

/**
 * Signs of life of an open run: from describe, from the history (when and on which queue each activity was first
 * scheduled) and from the workers of those queues. Needs no worker.
 *
 * @throws EngineUnavailable, from `lastSeenOf`
 */
export async function readLiveness(
  run: RunView,
  history: History,
  lastSeenOf: LastSeenOf,
): Promise<Liveness> {
  const events = history.events ?? [];
  const scheduled = scheduledActivities(events);
  const pending = await Promise.all([
    ...run.activities.map((activity) =>
      // Ids of activities are unique within their own workflow only.
      pendingActivity(activity, activity.childStartedAt ? undefined : scheduled.get(activity.id), lastSeenOf),
    ),
    ...(run.decision ? [pendingDecision(run.decision, run, lastSeenOf)] : []),
  ]);
  const progress = events.filter(({ eventType }) => eventType && PROGRESS.has(eventType)).map(time);
  return { lastProgressAt: progress.at(-1) ?? run.startedAt, pending, paused: isPaused(run) };
}

/** Paused by an operator, in the engine. */
export function isPaused({ operatorPause, activities }: RunView): boolean {
  return operatorPause !== undefined || activities.some((activity) => activity.operatorPause !== undefined);
}

function scheduledActivities(history: readonly HistoryEvent[]): Map<string, Scheduled> {
  const found = new Map<string, Scheduled>();
  for (const event of history) {
    const attributes = event.activityTaskScheduledEventAttributes;
    if (attributes?.activityId) {
      found.set(attributes.activityId, { at: time(event), queue: attributes.taskQueue?.name ?? '' });
    }
  }
  return found;
}

async function pendingActivity(
  activity: PendingActivity,
  scheduled: Scheduled | undefined,
  lastSeenOf: LastSeenOf,
): Promise<PendingWork> {
  const { state, scheduledAt, nextAttemptAt, lastStartedAt, lastHeartbeatAt, lastFailure } = activity;
  const dueAt = nextAttemptAt ?? scheduledAt;
  // Each attempt moves what describe gives; the start of a child's run is the earliest that it can be.
  const earliest = lastFailure && activity.childStartedAt;
  const queue = scheduled?.queue ?? activity.queue;
  const workerSeenAt = queue ? await lastSeenOf(queue) : undefined;
  return {
    state,
    since: scheduled?.at ?? earliest ?? scheduledAt ?? new Date(),
    ...(dueAt && { dueAt }),
    ...(lastStartedAt && { lastStartedAt }),
    ...(lastHeartbeatAt && { lastHeartbeatAt }),
    ...(lastFailure && { lastFailure }),
    ...(workerSeenAt && { workerSeenAt }),
  };
}

async function pendingDecision(
  { state, attempt, scheduledAt, lastStartedAt }: PendingDecision,
  run: RunView,
  lastSeenOf: LastSeenOf,
): Promise<PendingWork> {
  const workerSeenAt = await lastSeenOf(QUEUES.workflows);
  const since = scheduledAt ?? run.startedAt;
  return {
    // A workflow task that is being retried makes no progress, so it does not count as running.
    state: attempt > 1 ? 'waiting' : state,
    since,
    dueAt: since,
    ...(lastStartedAt && { lastStartedAt }),
    ...(attempt > 1 && { lastFailure: { code: 'WORKFLOW_TASK_FAILED' } }),
    ...(workerSeenAt && { workerSeenAt }),
  };
}

function time(event: HistoryEvent): Date {
  return event.eventTime ? tsToDate(event.eventTime) : new Date(0);
}
