import { getExternalWorkflowHandle, isCancellation, workflowInfo } from '@temporalio/workflow';
import { SESSION_SIGNALS } from '../../temporal/contract/batch-session.ts';
import { sessionWorkflowId } from '../../temporal/contract/ids.ts';
import type { ProcessFileInput } from '../../temporal/contract/process-file.ts';

/**
 * Signals the end of a file to its upload session. A child need not, unless it was asked to by a run of the session that
 * is not its parent: its end reaches the parent by itself, and a signal would be three more events for each of 200 files.
 */
export async function reportEnd(
  { fileId, sessionId, generation }: ProcessFileInput,
  asked: boolean,
): Promise<void> {
  if (!sessionId) return;
  const workflowId = sessionWorkflowId(sessionId);
  if (!asked && workflowInfo().parent?.workflowId === workflowId) return;
  try {
    await getExternalWorkflowHandle(workflowId).signal(SESSION_SIGNALS.fileSettled, fileId, generation);
  } catch (error) {
    // A session that has ended itself is not there any more; it has nothing left to count.
    if (isCancellation(error)) throw error;
  }
}
