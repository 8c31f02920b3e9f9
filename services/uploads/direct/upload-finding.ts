import type { FailureReason } from '../../../domain/components.ts';

/** Why an upload has not become a file. */
export type UploadFinding =
  /** The bytes are kept; the client may complete again. */
  | { kind: 'reopened'; reason: FailureReason }
  /** These parts have to be sent and confirmed again. */
  | { kind: 'unconfirmed'; parts: number[]; reason: FailureReason }
  /** These bytes are discarded. What was sent in parts is kept where the store can copy it (replace-parts.ts). */
  | { kind: 'restarted'; reason: FailureReason }
  /** Final: no bytes that match the announcement would be accepted. */
  | { kind: 'refused'; reason: FailureReason };
