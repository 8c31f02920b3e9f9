import type { UploadIntent } from '../../../db/entities/uploads/upload-intent.ts';
import { secondsToCreditReset } from '../../../domain/accounts/credits.ts';
import { AppError, ERROR_CODES, type ErrorCode } from '../../../domain/app-error.ts';
import { isIntentOpen } from '../../../domain/uploads/upload-intent.ts';

/**
 * Refuses what only an open upload can take.
 *
 * @throws AppError UPLOAD_COMPLETED, or why it has failed or was reopened last
 */
export function rejectClosedUpload(intent: UploadIntent, now = new Date()): void {
  if (intent.status === 'COMPLETED') throw new AppError('UPLOAD_COMPLETED', 'the upload is completed');
  if (!isIntentOpen(intent.status)) throw toAppError(intent);
  // Its timer may be a little late; its URLs are not.
  if (!intent.completeRequestedAt && intent.expiresAt <= now) {
    throw new AppError('UPLOAD_EXPIRED', 'the upload was not completed in time');
  }
}

/** What is the matter with an upload, as an answer: the same one each time it is asked. */
export function toAppError({ error }: UploadIntent): AppError {
  const message = error?.message ?? 'the upload has failed';
  const code = ERROR_CODES.find((known): known is ErrorCode => known === error?.code);
  const details = code === 'QUOTA_EXHAUSTED' ? { retryAfterSeconds: secondsToCreditReset(new Date()) } : {};
  return new AppError(code ?? 'UPLOAD_FAILED', message, details);
}
