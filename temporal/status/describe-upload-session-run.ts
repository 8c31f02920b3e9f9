import { WorkflowNotFoundError } from '@temporalio/client';
import type { RunOutcome } from '../../domain/timeline.ts';
import type { Engine } from '../client.ts';
import type { BatchSessionMemo } from '../contract/batch-session.ts';
import { sessionWorkflowId } from '../contract/ids.ts';
import { runOutcome } from './describe-run.ts';

/**
 * Asks the engine for the newest run of a session.
 *
 * @returns undefined when the engine does not know the workflow
 * @throws EngineUnavailable after `milliseconds`
 */
export async function describeUploadSessionRun(
  engine: Engine,
  sessionId: string,
  milliseconds: number,
): Promise<{ outcome: RunOutcome; generation: number } | undefined> {
  try {
    const { status, memo } = await engine.within(milliseconds, (client) =>
      client.workflow.getHandle(sessionWorkflowId(sessionId)).describe(),
    );
    const { generation = 1 } = (memo ?? {}) as Partial<BatchSessionMemo>;
    return { outcome: runOutcome(status.name), generation };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}
