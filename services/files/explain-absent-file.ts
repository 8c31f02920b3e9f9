import type { EntityManager } from '@mikro-orm/postgresql';
import { UploadIntent } from '../../db/entities/uploads/upload-intent.ts';
import { AppError } from '../../domain/app-error.ts';
import { isIntentOpen } from '../../domain/uploads/upload-intent.ts';

const RETRY_AFTER_SECONDS = 5;

/**
 * Explains why the file announced by a direct upload does not exist: it is still being verified, has failed, or turned
 * out to be a duplicate.
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
  if (isIntentOpen(intent.status) && intent.completeRequestedAt) {
    return new AppError('NOT_FOUND', `the upload is being verified; ${where}`, {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }
  if (intent.status === 'COMPLETED') return refusal;
  const reason = intent.error ? `: ${intent.error.message}` : '';
  return new AppError('NOT_FOUND', `the upload is not complete yet${reason}; ${where}`);
}
