import { executeChild, getExternalWorkflowHandle, ParentClosePolicy } from '@temporalio/workflow';
import type { UploadSessionInput, UploadSessionFile } from '../../temporal/contract/upload-session.ts';
import { isAlreadyStarted } from '../../temporal/contract/failures.ts';
import { FILE_SIGNALS, FILE_WORKFLOWS, type ProcessFileInput } from '../../temporal/contract/process-file.ts';
import type { processFile } from '../process-file/process-file.ts';
import { workflowOptions } from '../../temporal/contract/workflow.ts';

const FIRST_RETRY_MS = 1000;
const LAST_RETRY_MS = 5 * 60_000;

/**
 * Runs one generation of a file of a session to its end, under the workflow id that a single upload has. The run
 * outlives the session.
 *
 * @param reportedEnd the generation of a run that is not our child, once that run has signalled its end; undefined when
 *   it has not within these milliseconds
 * @returns when the generation has ended, however it did
 * @throws CancelledFailure while it waits for a run that is not our child
 */
export async function runFile(
  session: UploadSessionInput,
  file: UploadSessionFile,
  reportedEnd: (milliseconds?: number) => Promise<number | undefined>,
): Promise<void> {
  // Otherwise a run in the way may be of the generation before, which is still stopping.
  const isOnlyRun = file.started ?? file.generation === 1;
  // Begun by an earlier run of this session, which was reset or deleted.
  let elsewhere = file.started ?? false;
  for (let retryMs = FIRST_RETRY_MS; ; retryMs = Math.min(2 * retryMs, LAST_RETRY_MS)) {
    if (!elsewhere && (await runAsChild(session, file)) === 'ended') return;
    if (await requestReport(file.fileId)) {
      const ended = await reportedEnd(isOnlyRun ? undefined : retryMs);
      if (ended !== undefined && ended >= file.generation) return;
    } else if (isOnlyRun) {
      return;
    }
    elsewhere = false;
  }
}

async function runAsChild(
  session: UploadSessionInput,
  file: UploadSessionFile,
): Promise<'ended' | 'elsewhere'> {
  try {
    await startChild(session, file);
    return 'ended';
  } catch (error) {
    // Cancelled, terminated or failed: the file's row records that now or once reconciled.
    return isAlreadyStarted(error) ? 'elsewhere' : 'ended';
  }
}

async function startChild(
  { sessionId, tenantId }: UploadSessionInput,
  { fileId, mediaType, generation, components, priority = 'bulk', name }: UploadSessionFile,
): Promise<void> {
  const input: ProcessFileInput = {
    fileId,
    tenantId,
    mediaType,
    generation,
    components,
    priority,
    sessionId,
    ...(name !== undefined && { name }),
  };
  await executeChild<typeof processFile>('processFile', {
    ...workflowOptions(FILE_WORKFLOWS, input),
    parentClosePolicy: ParentClosePolicy.ABANDON,
    // A first run is refused if the id was ever used; a retry reuses it.
    workflowIdReusePolicy: generation === 1 ? 'REJECT_DUPLICATE' : 'ALLOW_DUPLICATE',
  });
}

/** @returns false when no run of the file is open */
async function requestReport(fileId: string): Promise<boolean> {
  try {
    await getExternalWorkflowHandle(FILE_WORKFLOWS.of(fileId)).signal(FILE_SIGNALS.reportEnd);
    return true;
  } catch {
    return false;
  }
}
