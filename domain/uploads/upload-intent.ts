import type { FailureReason } from '../components.ts';

export const INTENT_STATUSES = ['PENDING', 'UPLOADED', 'COMPLETED', 'FAILED'] as const;
/** `UPLOADED`: the bytes seem to be there; `COMPLETED`: they were verified and are a file. */
export type IntentStatus = (typeof INTENT_STATUSES)[number];

/** What decides over an upload intent, apart from its facts. */
export interface IntentState {
  status: IntentStatus;
  /** The client has said that it is done, and verification has yet to say whether it is so. */
  completeRequested: boolean;
  /** Why it failed, or why the last wish to complete it was not granted. */
  error: FailureReason | null;
}

export type IntentEvent =
  /** The object was seen, or its last part was confirmed. */
  | { type: 'bytes_seen' }
  | { type: 'complete_requested' }
  | { type: 'verified' }
  /** Not as promised, but the client may mend it. `bytesGone`: what there was has been thrown away. */
  | { type: 'reopened'; reason: FailureReason; bytesGone: boolean }
  /** Not as promised, and nothing that is sent later can change it. */
  | { type: 'refused'; reason: FailureReason }
  | { type: 'aborted'; reason: FailureReason }
  | { type: 'expired'; reason: FailureReason }
  | { type: 'workflow_ended'; reason: FailureReason };

/** The state of an intent that was just created. */
export const NEW_INTENT: IntentState = { status: 'PENDING', completeRequested: false, error: null };

/** Those that still wait for their bytes or their completion. */
export const OPEN_INTENT_STATUSES = ['PENDING', 'UPLOADED'] as const satisfies IntentStatus[];

export function isIntentOpen(status: IntentStatus): boolean {
  return status === 'PENDING' || status === 'UPLOADED';
}

/**
 * The one reducer of upload intents. What comes first of completion, abort and expiry is the end; whatever comes
 * later changes nothing. An intent that waits for its verification does not expire: the client was in time.
 */
export function applyIntentEvent(state: IntentState, event: IntentEvent): IntentState {
  if (!isIntentOpen(state.status)) return state;
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

function failed(state: IntentState, error: FailureReason): IntentState {
  return { ...state, status: 'FAILED', error };
}

export const EXPIRED: FailureReason = {
  code: 'UPLOAD_EXPIRED',
  message: 'the upload was not completed in time',
};
