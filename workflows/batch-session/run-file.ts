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
 * Sees one file of a session to its end, under the workflow id that a single upload has. It outlives the session.
 *
 * @returns `ended`, however it did; `elsewhere` when a run that is not our child is at it, which will signal its end
 */
export async function runFile(session: BatchSessionInput, file: SessionFile): Promise<'ended' | 'elsewhere'> {
  try {
    if (file.started) return await awaitEndElsewhere(file.fileId);
    await startFile(session, file);
    return 'ended';
  } catch (error) {
    // Cancelled, terminated or failed: the file's own record says so, or will once it was reconciled.
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
  // Eight characters of its id are enough for the API, too.
  const summary = `${mediaType} ${fileId.slice(0, 8)} of a batch, generation ${generation}`;
  await executeChild<typeof processFile>(PROCESS_FILE, {
    ...processFileStart(input, summary),
    parentClosePolicy: ParentClosePolicy.ABANDON,
    // A first run is refused when the id was ever used; a retry uses it again.
    workflowIdReusePolicy: generation === 1 ? 'REJECT_DUPLICATE' : 'ALLOW_DUPLICATE',
  });
}

/** Its run was begun by an earlier run of this session, which was reset or deleted; without an open run it has ended. */
async function awaitEndElsewhere(fileId: string): Promise<'ended' | 'elsewhere'> {
  try {
    await getExternalWorkflowHandle(fileWorkflowId(fileId)).signal(FILE_SIGNALS.reportEnd);
    return 'elsewhere';
  } catch {
    return 'ended';
  }
}
