import type { OperatorPause } from '../../domain/explain.ts';
import type { TimelineRun, TimelineStep } from '../../domain/timeline.ts';
import type { PendingStep } from './describe-run.ts';

/**
 * Adds to a run's timeline what only describe knows: a history has no event for an attempt until the step ends, so the
 * attempts of a step that is waiting, running, or was cut off with its run are not in it.
 */
export function withPendingSteps(timeline: TimelineRun, pending: readonly PendingStep[]): TimelineRun {
  return { ...timeline, steps: timeline.steps.map((step) => withPending(step, pending, timeline.outcome)) };
}

function withPending(
  step: TimelineStep,
  pending: readonly PendingStep[],
  run: TimelineRun['outcome'],
): TimelineStep {
  // Steps run one after another; an open fast path is on another of its steps than the first.
  const [live] = pending;
  if (!live || step.endedAt) return step;
  return {
    ...step,
    step: live.step,
    component: live.component,
    attempt: live.state === 'running' ? live.attempt : live.attempt - 1,
    outcome: run === 'running' ? live.state : 'cancelled',
    ...(live.lastStartedAt && { startedAt: live.lastStartedAt.toISOString() }),
    ...(live.lastFailure && { error: live.lastFailure }),
    ...(live.operatorPause && { operatorPause: recorded(live.operatorPause) }),
  };
}

function recorded({ since, identity, reason }: OperatorPause): NonNullable<TimelineStep['operatorPause']> {
  return {
    ...(since && { since: since.toISOString() }),
    ...(identity && { identity }),
    ...(reason && { reason }),
  };
}
