import { WorkflowNotFoundError } from '@temporalio/client';
import type { FailureReason } from '../../domain/components.ts';
import type { RunOutcome } from '../../domain/timeline.ts';
import type { Engine } from '../client.ts';
import { runOutcome } from './describe-run.ts';
import { fetchHistory } from './fetch-history.ts';
import { reason, terminatedMessage } from './fold-history.ts';

/** A workflow whose row has no more than its end, as the engine reports it without any worker. */
export interface WorkflowRunView {
  outcome: RunOutcome;
  /** Why it ended, if it did. */
  reason: FailureReason;
}

/**
 * Asks the engine for the newest run of a workflow that keeps its state in a row.
 *
 * @returns undefined when the engine does not know the workflow
 * @throws EngineUnavailable after `milliseconds` for each of at most two calls
 */
export async function describeWorkflowRun(
  engine: Engine,
  workflowId: string,
  milliseconds: number,
): Promise<WorkflowRunView | undefined> {
  try {
    const { status, runId } = await engine.within(milliseconds, (client) =>
      client.workflow.getHandle(workflowId).describe(),
    );
    const outcome = runOutcome(status.name);
    const unknown = { code: 'WORKFLOW_ENDED', message: `the workflow is ${outcome}` };
    if (outcome !== 'terminated' && outcome !== 'failed') return { outcome, reason: unknown };
    const last = (await fetchHistory(engine, workflowId, runId, milliseconds)).events?.at(-1);
    const terminated = last?.workflowExecutionTerminatedEventAttributes;
    if (terminated) {
      return {
        outcome,
        reason: { code: 'WORKFLOW_TERMINATED', message: terminatedMessage(terminated.reason) },
      };
    }
    return { outcome, reason: reason(last?.workflowExecutionFailedEventAttributes?.failure) ?? unknown };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}
