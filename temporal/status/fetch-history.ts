import { isGrpcServiceError, WorkflowNotFoundError } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import type { Engine } from '../client.ts';
import { foldHistory, type FoldedRun } from './fold-history.ts';
import type { OperatorPause } from '../../domain/explain.ts';
import type { TimelineRun, TimelineStep } from '../../domain/timeline.ts';
import type { PendingStep } from './describe-run.ts';
import { FILE_WORKFLOWS } from '../contract/process-file.ts';

export type History = temporal.api.history.v1.IHistory;

/** gRPC status code. */
const NOT_FOUND = 5;

/**
 * The event history of a workflow.
 *
 * @param runId the newest run when undefined
 * @throws EngineUnavailable after `milliseconds`; WorkflowNotFoundError when the run is unknown, or past its retention
 */
export async function fetchHistory(
  engine: Engine,
  workflowId: string,
  runId: string | undefined,
  milliseconds: number,
): Promise<History> {
  try {
    return await engine.within(milliseconds, (client) =>
      client.workflow.getHandle(workflowId, runId).fetchHistory(),
    );
  } catch (error) {
    // Unlike the handle's other calls, this one throws the raw gRPC error.
    const code: number | undefined = isGrpcServiceError(error) ? error.code : undefined;
    if (isGrpcServiceError(error) && code === NOT_FOUND) {
      throw new WorkflowNotFoundError(error.details || error.message, workflowId, runId);
    }
    throw error;
  }
}

/**
 * The history of one run of a file's workflow, folded into component statuses and a timeline.
 *
 * @throws as fetchHistory
 */
export async function fetchFoldedRun(
  engine: Engine,
  fileId: string,
  runId: string,
  milliseconds: number,
): Promise<FoldedRun> {
  return foldHistory(await fetchHistory(engine, FILE_WORKFLOWS.of(fileId), runId, milliseconds), runId);
}

/**
 * Adds to a run's timeline the state that only describe has: a history has no event for an attempt until the step ends,
 * so the attempts of a step that is waiting, running, or was cut off with its run are not in it.
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
