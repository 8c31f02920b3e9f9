import { secondsToCreditReset } from '../../domain/accounts/credits.ts';
import { AppError } from '../../domain/app-error.ts';
import type { FileOutcome } from '../../services/uploads/batch/file-outcome.ts';
import { uploadBatch } from '../../services/uploads/batch/upload-batch.ts';
import type { Call } from '../http/route.ts';
import type { AnsweredBatch } from '../resources/upload/present.ts';
import type { BatchForm } from '../resources/upload/schema.ts';
import { MANY_FILES } from './read-parts.ts';
import { readUploadRequest, uploadDeps, type UploadRules } from './read-upload-request.ts';

/**
 * Streams the files of a batch request sequentially into an upload session of their own.
 *
 * @param maxFiles files beyond it are rejected
 * @throws AppError for an invalid batch, of which nothing is then in progress
 */
export async function storeBatch(
  call: Call<unknown, unknown, unknown>,
  rules: Omit<UploadRules<BatchForm>, 'files'>,
  maxFiles: number,
): Promise<AnsweredBatch> {
  const form = readUploadRequest(call, { files: MANY_FILES, ...rules });
  const batch = await uploadBatch(uploadDeps(call), call.principal, form, maxFiles);
  call.log.info({ session_id: batch.sessionId, files: batch.outcomes.length }, 'batch stored');
  rejectWithoutCredits(batch.outcomes);
  return { ...batch, form: form.fields() };
}

/**
 * Rejects a batch of which no file was accepted, because of the credits. Its session has ended as failed.
 *
 * @param list where the request has the files
 * @throws AppError QUOTA_EXHAUSTED
 */
export function rejectWithoutCredits(outcomes: readonly FileOutcome[], list = '/form/files'): void {
  const unpaid = outcomes.find(({ code }) => code === 'QUOTA_EXHAUSTED');
  if (!unpaid || outcomes.some(({ kind }) => kind !== 'rejected')) return;
  throw new AppError('QUOTA_EXHAUSTED', `no file was accepted: ${unpaid.reason}`, {
    retryAfterSeconds: secondsToCreditReset(new Date()),
    errors: outcomes.map(({ index, reason = '' }) => ({ pointer: `${list}/${index}`, message: reason })),
  });
}
