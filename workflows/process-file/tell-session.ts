import { getExternalWorkflowHandle, isCancellation, workflowInfo } from '@temporalio/workflow';
import { SESSION_SIGNALS } from '../../temporal/contract/batch-session.ts';
import { sessionWorkflowId } from '../../temporal/contract/ids.ts';
import type { ProcessFileInput } from '../../temporal/contract/process-file.ts';

/**
 * Says to the session of a file that it has ended. A child need not: its end reaches the parent by itself, and a
 * signal would be three more events for each of 200 files. Histories of files without a session have no such step,
 * so it needs no patch marker.
 */
export async function tellSession({ fileId, sessionId }: ProcessFileInput): Promise<void> {
  if (!sessionId) return;
  const workflowId = sessionWorkflowId(sessionId);
  if (workflowInfo().parent?.workflowId === workflowId) return;
  try {
    await getExternalWorkflowHandle(workflowId).signal(SESSION_SIGNALS.fileSettled, fileId);
  } catch (error) {
    // A session that has ended itself is not there any more; it has nothing left to count.
    if (isCancellation(error)) throw error;
  }
}
