import type { EntityManager } from '@mikro-orm/postgresql';
import { UploadIntent } from '../../db/entities/uploads/upload-intent.ts';
import { AppError } from '../../domain/app-error.ts';
import { isIntentOpen } from '../../domain/uploads/upload-intent.ts';

const RETRY_AFTER_SECONDS = 5;

/**
 * Explains to a request that needs a file why the one announced by a direct upload does not exist: it is not verified
 * yet, has failed, or turned out to be a duplicate.
 *
 * @param refusal the error in all other cases
 */
export async function explainAbsentFile(
  em: EntityManager,
  tenantId: string,
  fileId: string,
  refusal: AppError,
): Promise<AppError> {
  const intent = await em.findOne(UploadIntent, { fileId, tenantId });
  if (!intent) return refusal;
  const where = `see /api/v2/files/direct-uploads/${intent.id}`;
  if (intent.duplicateOf) {
    return new AppError('NOT_FOUND', `the upload was a duplicate of file ${intent.duplicateOf}; ${where}`);
  }
  if (isIntentOpen(intent.status)) {
    const state = intent.completeRequestedAt ? 'is being verified' : 'is not complete yet';
    const retry = intent.completeRequestedAt ? { retryAfterSeconds: RETRY_AFTER_SECONDS } : {};
    return new AppError('WORK_IN_PROGRESS', `the upload of this file ${state}; ${where}`, retry);
  }
  if (intent.status === 'COMPLETED') return refusal;
  return new AppError(
    'NOT_FOUND',
    `the upload failed: ${intent.error?.message ?? 'unknown reason'}; ${where}`,
  );
}
