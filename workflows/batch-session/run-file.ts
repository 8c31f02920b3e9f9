import { executeChild, getExternalWorkflowHandle, ParentClosePolicy } from '@temporalio/workflow';
import type { BatchSessionInput, SessionFile } from '../../temporal/contract/batch-session.ts';
import { isAlreadyStarted } from '../../temporal/contract/failures.ts';
import { fileWorkflowId } from '../../temporal/contract/ids.ts';
import {
  FILE_SIGNALS,
  PROCESS_FILE,
  processFileStart,
  type ProcessFileInput,
} from '../../temporal/contract/process-file.ts';
import type { processFile } from '../process-file/process-file.ts';

/**
 * Runs one file of a session to its end, under the same workflow id as a single upload. It outlives the session.
 *
 * @returns `ended`, whatever the outcome; `elsewhere` when a run that is not our child will signal its end
 */
export async function runFile(session: BatchSessionInput, file: SessionFile): Promise<'ended' | 'elsewhere'> {
  try {
    if (file.started) return await awaitEndElsewhere(file.fileId);
    await startFile(session, file);
    return 'ended';
  } catch (error) {
    // Cancelled, terminated or failed: the file's own record says so, or will once it is reconciled.
    return isAlreadyStarted(error) ? awaitEndElsewhere(file.fileId) : 'ended';
  }
}

async function startFile(
  { sessionId, tenantId }: BatchSessionInput,
  { fileId, mediaType, generation, components }: SessionFile,
): Promise<void> {
  const input: ProcessFileInput = {
    fileId,
    tenantId,
    mediaType,
    generation,
    components,
    priority: 'bulk',
    sessionId,
  };
  // The API accepts the first eight characters of an id, too.
  const summary = `${mediaType} ${fileId.slice(0, 8)} of a batch, generation ${generation}`;
  await executeChild<typeof processFile>(PROCESS_FILE, {
    ...processFileStart(input, summary),
    parentClosePolicy: ParentClosePolicy.ABANDON,
    // A first run is refused if the id was ever used; a retry reuses it.
    workflowIdReusePolicy: generation === 1 ? 'REJECT_DUPLICATE' : 'ALLOW_DUPLICATE',
  });
}

/** The run was started by an earlier run of this session, since reset or deleted; if it is not open, it has ended. */
async function awaitEndElsewhere(fileId: string): Promise<'ended' | 'elsewhere'> {
  try {
    await getExternalWorkflowHandle(fileWorkflowId(fileId)).signal(FILE_SIGNALS.reportEnd);
    return 'elsewhere';
  } catch {
    return 'ended';
  }
}
