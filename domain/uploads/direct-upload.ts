import type { FailureReason } from '../components.ts';
import { clause } from '../text.ts';

export const DIRECT_UPLOAD_STATUSES = ['PENDING', 'UPLOADED', 'COMPLETED', 'FAILED'] as const;
/** `UPLOADED`: the bytes seem to have arrived; `COMPLETED`: they were verified and became a file. */
export type DirectUploadStatus = (typeof DIRECT_UPLOAD_STATUSES)[number];

/** `stored`: the store has a part that is not confirmed yet, and need not be sent again if it is the right one. */
export const PART_STATES = ['missing', 'stored', 'confirmed'] as const;
export type PartState = (typeof PART_STATES)[number];

/** The mutable state of a direct upload. */
export interface DirectUploadState {
  status: DirectUploadStatus;
  /** The client has requested completion; verification may still be pending. */
  completeRequested: boolean;
  /** Why it failed, or why the last request to complete it was rejected. */
  error: FailureReason | null;
}

export type DirectUploadEvent =
  /** The object was found, or its last part was confirmed. */
  | { type: 'bytes_seen' }
  | { type: 'complete_requested' }
  | { type: 'verified' }
  /** Differs from the announcement, but the client may fix it. `bytesGone`: the uploaded bytes were discarded. */
  | { type: 'reopened'; reason: FailureReason; bytesGone: boolean }
  /** Differs from the announcement, and no later upload can change that. */
  | { type: 'refused'; reason: FailureReason }
  | { type: 'aborted'; reason: FailureReason }
  | { type: 'expired'; reason: FailureReason }
  | { type: 'workflow_ended'; reason: FailureReason };

/** The state of an upload that was just created. */
export const NEW_DIRECT_UPLOAD: DirectUploadState = {
  status: 'PENDING',
  completeRequested: false,
  error: null,
};

/** Statuses that still wait for bytes or completion. */
export const OPEN_DIRECT_UPLOAD_STATUSES = ['PENDING', 'UPLOADED'] as const satisfies DirectUploadStatus[];

export function isDirectUploadOpen(status: DirectUploadStatus): boolean {
  return status === 'PENDING' || status === 'UPLOADED';
}

/**
 * The one reducer of direct uploads. The first of completion, abort and expiry wins; later events change nothing. An
 * upload awaiting verification does not expire, because its client was in time.
 */
export function applyDirectUploadEvent(
  state: DirectUploadState,
  event: DirectUploadEvent,
): DirectUploadState {
  if (!isDirectUploadOpen(state.status)) return state;
  switch (event.type) {
    case 'bytes_seen':
      return { ...state, status: 'UPLOADED' };
    case 'complete_requested':
      return { ...state, completeRequested: true, error: null };
    case 'verified':
      if (!state.completeRequested) return state;
      return { status: 'COMPLETED', completeRequested: true, error: null };
    case 'reopened':
      if (!state.completeRequested) return state;
      return {
        status: event.bytesGone ? 'PENDING' : state.status,
        completeRequested: false,
        error: event.reason,
      };
    case 'expired':
      return state.completeRequested ? state : failed(state, event.reason);
    case 'refused':
    case 'aborted':
    case 'workflow_ended':
      return failed(state, event.reason);
  }
}

function failed(state: DirectUploadState, error: FailureReason): DirectUploadState {
  return { ...state, status: 'FAILED', error };
}

export const EXPIRED: FailureReason = {
  code: 'UPLOAD_EXPIRED',
  message: 'the upload was not completed in time',
};

/** One sentence with the state of a file whose upload has not completed. */
export function explainUpload(
  { status, completeRequested, error }: DirectUploadState,
  expiresAt: Date,
): string {
  const until = `until ${expiresAt.toISOString().slice(0, 19)}Z`;
  if (status === 'FAILED')
    return `The upload failed, and there is no file: ${clause(error?.message ?? 'unknown reason')}.`;
  if (completeRequested) return 'The upload is being verified: size, SHA-256 and type.';
  if (error)
    return `The upload was not accepted: ${clause(error.message)}; it can be completed again ${until}.`;
  if (status === 'UPLOADED') return `The bytes have arrived; the upload waits to be completed ${until}.`;
  return `The upload waits for its bytes ${until}.`;
}
