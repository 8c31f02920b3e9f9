import type { UploadIntent } from '../../../db/entities/uploads/upload-intent.ts';
import { secondsToCreditReset } from '../../../domain/accounts/credits.ts';
import { AppError, isErrorCode, type ErrorCode } from '../../../domain/app-error.ts';
import { isIntentOpen } from '../../../domain/uploads/upload-intent.ts';

/** The errors of an upload that has ended. */
export const CLOSED_UPLOAD_ERRORS: readonly ErrorCode[] = [
  'UPLOAD_COMPLETED',
  'UPLOAD_ABORTED',
  'UPLOAD_EXPIRED',
  'UPLOAD_FAILED',
  'SESSION_ENDED',
];

/**
 * Rejects an operation that requires an open upload.
 *
 * @throws AppError UPLOAD_COMPLETED, or why it has failed or was last reopened
 */
export function rejectClosedUpload(intent: UploadIntent, now = new Date()): void {
  if (intent.status === 'COMPLETED') throw new AppError('UPLOAD_COMPLETED', 'the upload is completed');
  if (!isIntentOpen(intent.status)) throw toAppError(intent);
  // Its expiry timer may be slightly late; its URLs are not.
  if (!intent.completeRequestedAt && intent.expiresAt <= now) {
    throw new AppError('UPLOAD_EXPIRED', 'the upload was not completed in time');
  }
}

/** The failure of an upload as an error, the same on every request. */
export function toAppError({ error }: UploadIntent): AppError {
  const message = error?.message ?? 'the upload has failed';
  const code = isErrorCode(error?.code) ? error.code : undefined;
  const details = code === 'QUOTA_EXHAUSTED' ? { retryAfterSeconds: secondsToCreditReset(new Date()) } : {};
  return new AppError(code ?? 'UPLOAD_FAILED', message, details);
}
