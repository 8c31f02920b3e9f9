import type { IntentStatus } from '../../domain/uploads/upload-intent.ts';

/**
 * `directUpload`, id `direct-upload/{upload_id}`, queue `workflows`: one upload intent from its creation to its end.
 * Completion and abort come as signals and not as updates, because a signal is durable with every worker dead. Who
 * wants to know what came of it reads the row. Parts are rows: ten thousand of them cost no history.
 */
export const DIRECT_UPLOAD = 'directUpload';

/** The client says that all bytes are there. */
export const COMPLETE_REQUESTED = 'completeRequested';
/** The row says that the upload is aborted; what is under way for it may stop. */
export const ABORT_REQUESTED = 'abortRequested';

/** Where an upload stands, as operators filter for it (search attribute `UnifiedStatus`). */
export type UploadUnifiedStatus = 'uploading' | 'confirming' | 'completed' | 'failed';

export interface DirectUploadInput {
  uploadId: string;
  tenantId: string;
  /** ISO 8601. */
  expiresAt: string;
  /** A completion that an earlier run of the same workflow was told of. */
  completeRequested?: boolean;
}

/** What verification found. `reopened`: not as promised, and the client was told; it may mend it and complete again. */
export type VerificationOutcome = 'completed' | 'reopened' | 'closed';

export interface DirectUploadResult {
  status: IntentStatus;
}
