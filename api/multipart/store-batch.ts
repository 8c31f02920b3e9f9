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
 * Streams the files of a batch request one after another into a new upload session.
 *
 * @param maxFiles files beyond it are rejected
 * @throws AppError for an invalid batch; no file is in progress then
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
 * Rejects a batch if none of its files was accepted for lack of credits. Its session has then ended as
 * failed.
 *
 * @param list JSON pointer of the files in the request
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
