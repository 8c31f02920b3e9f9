import type { MediaType } from '../../domain/media.ts';
import type { Engine } from '../client.ts';
import {
  type ABORT_REQUESTED,
  type COMPLETE_REQUESTED,
  DIRECT_UPLOAD,
  type DirectUploadInput,
  type UploadUnifiedStatus,
} from '../contract/direct-upload.ts';
import { directUploadWorkflowId } from '../contract/ids.ts';
import { lane, QUEUES } from '../contract/queues.ts';
import { searchAttributes } from '../contract/search-attributes.ts';
import { START_DEADLINE_MS } from '../deadlines.ts';
import { unlessStarted } from './start-generation.ts';

export interface DirectUploadStart {
  input: DirectUploadInput;
  mediaType: MediaType;
  sessionId: string | undefined;
  /** One line for operators. */
  staticSummary: string;
  /** Signal to deliver with the start, if any. */
  signal: typeof COMPLETE_REQUESTED | typeof ABORT_REQUESTED | undefined;
}

/**
 * Starts the workflow of a direct upload unless it is running, and signals it. Idempotent.
 *
 * @returns false when it has already ended
 * @throws EngineUnavailable
 */
export function startDirectUpload(
  engine: Engine,
  { input, mediaType, sessionId, staticSummary, signal }: DirectUploadStart,
): Promise<boolean> {
  const { uploadId, tenantId } = input;
  const unifiedStatus: UploadUnifiedStatus = 'uploading';
  const options = {
    workflowId: directUploadWorkflowId(uploadId),
    taskQueue: QUEUES.workflows,
    args: [input],
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    priority: lane('normal', tenantId),
    typedSearchAttributes: searchAttributes({ tenantId, sessionId, mediaType, unifiedStatus }),
    staticSummary,
  } as const;
  return unlessStarted(() =>
    engine.within(START_DEADLINE_MS, async (client): Promise<unknown> => {
      if (signal)
        return client.workflow.signalWithStart(DIRECT_UPLOAD, { ...options, args: [input], signal });
      return client.workflow.start(DIRECT_UPLOAD, { ...options, args: [input] });
    }),
  );
}
