import type { EntityManager } from '@mikro-orm/postgresql';
import { UploadIntent } from '../../db/entities/uploads/upload-intent.ts';
import { AppError } from '../../domain/app-error.ts';
import { isIntentOpen } from '../../domain/uploads/upload-intent.ts';

const RETRY_AFTER_SECONDS = 5;

/**
 * Says why a file is not there whose id a direct upload has announced: it is still being verified, has failed, or
 * turned out to be a duplicate.
 *
 * @param refusal what is to be answered otherwise
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
