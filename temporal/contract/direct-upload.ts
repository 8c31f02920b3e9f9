import type { MediaType } from '../../domain/media.ts';
import type { DirectUploadStatus } from '../../domain/uploads/direct-upload.ts';
import { taskPriority } from './queues.ts';
import { searchAttributes } from './search-attributes.ts';
import { rowWorkflows } from './workflow.ts';

/** The client reports that all bytes are uploaded. */
export const COMPLETE_REQUESTED = 'completeRequested';
/** The row is marked aborted; any verification in progress may stop. */
export const ABORT_REQUESTED = 'abortRequested';

/** Status of an upload for operators' filters (search attribute `UnifiedStatus`). */
export type UploadUnifiedStatus = 'uploading' | 'confirming' | 'completed' | 'failed';

/**
 * `directUpload`, id `direct-upload/{upload_id}`, queue `workflows`: one direct upload from its creation to its end.
 * Completion and abort are signals rather than updates, because a signal is durable even with every worker down.
 * Callers read the result from the row. Parts are rows: ten thousand of them cost no history.
 */
export interface DirectUploadInput {
  uploadId: string;
  tenantId: string;
  mediaType: MediaType;
  /** The upload session that the file will belong to, if any. */
  sessionId?: string;
  /** Filename, for operators; absent where histories have no names. */
  name?: string;
  /** ISO 8601. */
  expiresAt: string;
  /** A completion that was signalled to an earlier run of the same workflow. */
  completeRequested?: boolean;
}

/** Result of verification. `reopened`: not as announced; the client can see why, fix it and complete again. */
export type VerificationOutcome = 'completed' | 'reopened' | 'closed';

export interface DirectUploadResult {
  status: DirectUploadStatus;
}

export const DIRECT_UPLOAD_WORKFLOWS = rowWorkflows<DirectUploadInput>({
  type: 'directUpload',
  prefix: 'direct-upload/',
  row: ({ uploadId }) => uploadId,
  reuse: 'never',
  summary: ({ mediaType }) => `Direct upload, ${mediaType}`,
  priority: ({ tenantId }) => taskPriority('normal', tenantId),
  attributes: ({ tenantId, sessionId, mediaType }) =>
    searchAttributes({ tenantId, sessionId, mediaType, unifiedStatus: 'uploading' }),
});
