import type { FailureReason } from '../../../domain/components.ts';

/** Why an upload is no file yet. */
export type UploadFinding =
  /** As it is; the client may complete again. */
  | { kind: 'reopened'; reason: FailureReason }
  /** These parts have to be sent and confirmed again. */
  | { kind: 'unconfirmed'; parts: number[]; reason: FailureReason }
  /** All bytes have to be sent again. */
  | { kind: 'restarted'; reason: FailureReason }
  /** No bytes that match the promise would be accepted. */
  | { kind: 'refused'; reason: FailureReason };
