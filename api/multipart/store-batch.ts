import { secondsToCreditReset } from '../../domain/accounts/credits.ts';
import { AppError } from '../../domain/app-error.ts';
import type { FileOutcome } from '../../services/uploads/batch/batch-outcomes.ts';
import { BatchUpload } from '../../services/uploads/batch/batch-upload.ts';
import type { Call } from '../http/route.ts';
import type { AnsweredBatch } from '../resources/upload/present.ts';
import type { BatchForm } from '../resources/upload/schema.ts';
import { MANY_FILES } from './read-parts.ts';
import { receiveFiles, type UploadRules } from './receive-files.ts';

/**
 * Streams the files of a batch request sequentially into an upload session of their own.
 *
 * @param maxFiles files beyond it are rejected
 * @throws AppError for an invalid batch; then nothing of it is in progress
 */
export async function storeBatch(
  call: Call<unknown, unknown, unknown>,
  rules: Omit<UploadRules<BatchForm>, 'files'>,
  maxFiles: number,
): Promise<AnsweredBatch> {
  const { em, deps, principal, log } = call;
  const onTrouble = (error: unknown, what: string) => log.error({ err: error }, what);
  const batch = new BatchUpload({ em, engine: deps.engine, onTrouble }, principal, maxFiles);
  await receiveFiles(call, { files: MANY_FILES, ...rules }, batch);
  const { session, outcomes } = batch;
  log.info({ session_id: session.id, files: outcomes.length }, 'batch stored');
  rejectWithoutCredits(outcomes);
  return { sessionId: session.id, outcomes };
}

/**
 * Rejects a batch of which no file was accepted, because of the credits. Its session has ended as failed.
 *
 * @throws AppError QUOTA_EXHAUSTED
 */
function rejectWithoutCredits(outcomes: readonly FileOutcome[]): void {
  const unpaid = outcomes.find(({ code }) => code === 'QUOTA_EXHAUSTED');
  if (!unpaid || outcomes.some(({ kind }) => kind !== 'rejected')) return;
  throw new AppError('QUOTA_EXHAUSTED', `no file was accepted: ${unpaid.reason}`, {
    retryAfterSeconds: secondsToCreditReset(new Date()),
    errors: outcomes.map(({ index, reason = '' }) => ({ pointer: `/form/files/${index}`, message: reason })),
  });
}
