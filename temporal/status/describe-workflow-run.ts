import { WorkflowNotFoundError } from '@temporalio/client';
import type { FailureReason } from '../../domain/components.ts';
import type { RunOutcome } from '../../domain/timeline.ts';
import type { Engine } from '../client.ts';
import { runOutcome } from './describe-run.ts';
import { fetchHistory } from './fetch-history.ts';
import { reason, terminatedMessage } from './fold-history.ts';
import { FILES_IN_FLIGHT, UPLOAD_SESSION_WORKFLOWS } from '../contract/upload-session.ts';
import { FILE_WORKFLOWS } from '../contract/process-file.ts';
import type { GenerationMemo } from '../contract/workflow.ts';

/** A workflow whose row has no more than its end, as the engine reports it without any worker. */
interface WorkflowRunView {
  outcome: RunOutcome;
  /** Of the row for which it was started; 1 for rows without generations. */
  generation: number;
  /** Whether it has seen all that it was told, and waits for more. */
  isIdle: boolean;
  /** Why it ended, if it did. */
  reason: FailureReason;
}

/**
 * Reads the newest run of a workflow that keeps its state in a row.
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
    const { status, runId, memo, raw } = await engine.within(milliseconds, (client) =>
      client.workflow.getHandle(workflowId).describe(),
    );
    const outcome = runOutcome(status.name);
    const isIdle = !raw.pendingWorkflowTask && (raw.pendingActivities ?? []).length === 0;
    const run = { outcome, generation: generationOf(memo), isIdle };
    const unknown = { code: 'WORKFLOW_ENDED', message: `the workflow is ${outcome}` };
    if (outcome !== 'terminated' && outcome !== 'failed') return { ...run, reason: unknown };
    const last = (await fetchHistory(engine, workflowId, runId, milliseconds)).events?.at(-1);
    const terminated = last?.workflowExecutionTerminatedEventAttributes;
    if (terminated) {
      return {
        ...run,
        reason: { code: 'WORKFLOW_TERMINATED', message: terminatedMessage(terminated.reason) },
      };
    }
    return { ...run, reason: reason(last?.workflowExecutionFailedEventAttributes?.failure) ?? unknown };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

/** The newest run of an upload session's workflow, as the engine reports it without any worker. */
export interface UploadSessionRunView {
  outcome: RunOutcome;
  generation: number;
  /** The files that it is starting, or has started and takes for running. */
  children: ReadonlySet<string>;
  /** Whether it has seen all that it was told. */
  isIdle: boolean;
  /** Whether it also starts every file that it learns of: unless paused, none waits for it. */
  hasStartedAll: boolean;
  /** Whether its cancellation was requested, which needs a worker to take effect. */
  cancelRequested: boolean;
}

/**
 * Reads the newest run of a session from the engine.
 *
 * @returns undefined when the engine does not know the workflow
 * @throws EngineUnavailable after `milliseconds`
 */
export async function describeUploadSessionRun(
  engine: Engine,
  sessionId: string,
  milliseconds: number,
): Promise<UploadSessionRunView | undefined> {
  try {
    const { status, memo, raw } = await engine.within(milliseconds, (client) =>
      client.workflow.getHandle(UPLOAD_SESSION_WORKFLOWS.of(sessionId)).describe(),
    );
    const pending = raw.pendingChildren ?? [];
    const isIdle = !raw.pendingWorkflowTask;
    return {
      outcome: runOutcome(status.name),
      generation: generationOf(memo),
      children: new Set(pending.flatMap(({ workflowId }) => FILE_WORKFLOWS.parse(workflowId ?? '') ?? [])),
      isIdle,
      hasStartedAll: isIdle && pending.length < FILES_IN_FLIGHT,
      cancelRequested: raw.workflowExtendedInfo?.cancelRequested ?? false,
    };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

function generationOf(memo: object | undefined): number {
  const { generation = 1 } = (memo ?? {}) as Partial<GenerationMemo>;
  return generation;
}
