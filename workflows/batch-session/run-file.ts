import { ParentClosePolicy, startChild } from '@temporalio/workflow';
import type { BatchSessionInput, SessionFile } from '../../temporal/contract/batch-session.ts';
import { fileWorkflowId } from '../../temporal/contract/ids.ts';
import {
  PROCESS_FILE,
  type ProcessFileInput,
  type ProcessFileMemo,
} from '../../temporal/contract/process-file.ts';
import { PRIORITIES } from '../../temporal/contract/queues.ts';
import { SEARCH_ATTRIBUTES } from '../../temporal/contract/search-attributes.ts';
import type { processFile } from '../process-file/process-file.ts';

/**
 * Runs one file of a session to its end, under the id that a single upload has. It outlives the session.
 *
 * @param onStarted called when the engine has the run, so that it can be signalled
 * @throws WorkflowExecutionAlreadyStartedError when somebody else has started this file
 */
export async function runFile(
  { sessionId, tenantId }: BatchSessionInput,
  { fileId, mediaType, generation, components }: SessionFile,
  onStarted: () => void,
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
  const memo: ProcessFileMemo = { generation, tenantId };
  const child = await startChild<typeof processFile>(PROCESS_FILE, {
    workflowId: fileWorkflowId(fileId),
    args: [input],
    memo: { ...memo },
    parentClosePolicy: ParentClosePolicy.ABANDON,
    // A first run is refused when the id was ever used; a retry uses it again.
    workflowIdReusePolicy: generation === 1 ? 'REJECT_DUPLICATE' : 'ALLOW_DUPLICATE',
    priority: { priorityKey: PRIORITIES.bulk, fairnessKey: tenantId },
    typedSearchAttributes: [
      { key: SEARCH_ATTRIBUTES.tenantId, value: tenantId },
      { key: SEARCH_ATTRIBUTES.mediaType, value: mediaType },
      { key: SEARCH_ATTRIBUTES.unifiedStatus, value: 'queued' },
      { key: SEARCH_ATTRIBUTES.sessionId, value: sessionId },
    ],
    // Eight characters are enough for the API, too.
    staticSummary: `${mediaType} ${fileId.slice(0, 8)} of a batch, generation ${generation}`,
  });
  onStarted();
  await child.result();
}
