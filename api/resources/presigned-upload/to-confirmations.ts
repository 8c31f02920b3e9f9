import type { UploadIntent } from '../../../db/entities/uploads/upload-intent.ts';
import { invalidField } from '../../../domain/app-error.ts';
import { uploadOfIncomingKey } from '../../../domain/object-keys.ts';
import type { FileConfirmation } from '../../../services/legacy-batches/confirm-batch.ts';
import type { ConfirmBatchBody } from './schema.ts';

/**
 * Maps a client's confirmations, by object key, to the uploads of its batch.
 *
 * @throws AppError VALIDATION_FAILED for keys that are not of this batch, or occur twice
 */
export function toConfirmations(
  tenantId: string,
  body: ConfirmBatchBody,
  intents: UploadIntent[],
): FileConfirmation[] {
  const seen = new Set<string>();
  return body.confirmations.map((entry, index) => {
    const uploadId = uploadOfIncomingKey(tenantId, entry.object_key);
    const known = uploadId !== undefined && intents.some(({ id }) => id === uploadId);
    if (!known || seen.has(uploadId)) {
      const message = known ? 'comes twice' : 'is not of this batch';
      throw invalidField(`/body/confirmations/${index}/object_key`, message);
    }
    seen.add(uploadId);
    return {
      uploadId,
      success: entry.success,
      sizeBytes: entry.file_size ?? undefined,
      sha256: entry.checksum ?? undefined,
      errorMessage: entry.error_message ?? undefined,
      autoDescribe: body.auto_process,
    };
  });
}
