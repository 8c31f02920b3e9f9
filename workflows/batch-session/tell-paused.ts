import { getExternalWorkflowHandle, isCancellation } from '@temporalio/workflow';
import type { SessionFile } from '../../temporal/contract/batch-session.ts';
import { fileWorkflowId } from '../../temporal/contract/ids.ts';
import { FILE_SIGNALS, type FilePause } from '../../temporal/contract/process-file.ts';

/** Says to the run of a file that its session was paused or resumed. One that has ended is past holding. */
export async function tellPaused({ fileId, generation }: SessionFile, paused: boolean): Promise<void> {
  const pause: FilePause = { paused, generation };
  try {
    await getExternalWorkflowHandle(fileWorkflowId(fileId)).signal(FILE_SIGNALS.sessionPaused, pause);
  } catch (error) {
    if (isCancellation(error)) throw error;
  }
}
