import { getExternalWorkflowHandle, isCancellation, workflowInfo } from '@temporalio/workflow';
import { UPLOAD_SESSION_SIGNALS } from '../../temporal/contract/upload-session.ts';
import { uploadSessionWorkflowId } from '../../temporal/contract/ids.ts';
import type { ProcessFileInput } from '../../temporal/contract/process-file.ts';

/**
 * Signals the end of a file to its upload session. A child workflow skips this unless another run of the session than
 * its parent requested it: the engine reports its end to the parent, and a signal adds three events for each of 200
 * files.
 */
export async function reportEnd(
  { fileId, sessionId, generation }: ProcessFileInput,
  requested: boolean,
): Promise<void> {
  if (!sessionId) return;
  const workflowId = uploadSessionWorkflowId(sessionId);
  if (!requested && workflowInfo().parent?.workflowId === workflowId) return;
  try {
    await getExternalWorkflowHandle(workflowId).signal(
      UPLOAD_SESSION_SIGNALS.fileSettled,
      fileId,
      generation,
    );
  } catch (error) {
    // The session's workflow has ended, so it has nothing left to count.
    if (isCancellation(error)) throw error;
  }
}
