import { MAX_STREAMED_BYTES } from '../../domain/limits.ts';
import { AppError } from '../../domain/app-error.ts';
import { uploadSingle } from '../../services/uploads/streaming/upload-single.ts';
import type { Call } from '../http/route.ts';
import type { AnsweredUpload } from '../resources/upload/present.ts';
import { uploadForm, type UploadForm } from '../resources/upload/schema.ts';
import { FORM_BYTES } from './open-form.ts';
import { ONE_FILE } from './read-parts.ts';
import { readUploadRequest, uploadDeps, type UploadRules } from './read-upload-request.ts';

/**
 * Streams the one file of a request into the store and creates its record, or finds an existing duplicate.
 *
 * @throws AppError, after which nothing is stored
 */
export async function storeUpload(
  call: Call<unknown, unknown, unknown>,
  rules: Pick<UploadRules<UploadForm>, 'fields' | 'ignoreUnknown'>,
): Promise<AnsweredUpload> {
  const began = performance.now();
  const { ctx, principal, log } = call;
  try {
    rejectOversized(ctx.request.length);
    const form = readUploadRequest(call, { files: ONE_FILE, schema: uploadForm, ...rules });
    const upload = await uploadSingle(uploadDeps(call), principal, form);
    const { file, stored, started } = upload;
    const details = {
      file_id: file.id,
      tenant_id: principal.tenantId,
      size_bytes: stored.sizeBytes,
      started,
    };
    log.info(details, 'file stored');
    return { ...upload, form: form.fields(), elapsedMs: performance.now() - began };
  } catch (error) {
    throw withSuggestion(error);
  }
}

/** Refuses a body whose declared length is too large before reading it. */
function rejectOversized(length = 0): void {
  if (length > MAX_STREAMED_BYTES + FORM_BYTES) {
    throw new AppError(
      'FILE_TOO_LARGE',
      'the file is too large: a streamed upload may have 100 MB; use a direct upload',
    );
  }
}

/** "413 when the file exceeds the streaming limit (the response carries a suggestion.endpoint pointing to the presigned flow)" */
export function withSuggestion(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'FILE_TOO_LARGE') return error;
  const suggestion = {
    endpoint: '/api/v2/files/direct-uploads',
    message: 'larger files go straight to the object store',
  };
  return new AppError('FILE_TOO_LARGE', error.message, { suggestion }, { cause: error });
}
