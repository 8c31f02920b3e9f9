import type { z } from 'zod';
import { AppError } from '../../domain/app-error.ts';
import { uploadSingle, type UploadedFile } from '../../services/uploads/streaming/upload-single.ts';
import type { Call } from '../http/route.ts';
import { analyzeForm } from '../resources/job/schema.ts';
import { uploadForm } from '../resources/upload/schema.ts';
import { FORM_BYTES } from './open-form.ts';
import { ONE_FILE } from './read-parts.ts';
import { readUploadRequest, uploadDeps } from './read-upload-request.ts';

const FIELDS = new Set(Object.keys(analyzeForm.shape));
/** The fields of an analysis, and the defaults of an upload for all others. */
const FORM = uploadForm.safeExtend(analyzeForm.shape);

export interface StoredDocument extends UploadedFile {
  form: z.output<typeof FORM>;
  elapsedMs: number;
}

/**
 * Streams the one document of a request into the store and starts its processing ahead of bulk work, or finds an existing
 * duplicate.
 *
 * @throws AppError UNSUPPORTED_MEDIA for other media, FILE_TOO_LARGE; after which nothing is stored
 */
export async function storeDocument(
  call: Call<unknown, unknown, unknown>,
  maxBytes: number,
): Promise<StoredDocument> {
  const began = performance.now();
  if ((call.ctx.request.length ?? 0) > maxBytes + FORM_BYTES) throw tooLarge(maxBytes);
  const form = readUploadRequest(call, { files: ONE_FILE, fields: FIELDS, schema: FORM });
  const deps = { ...uploadDeps(call), priority: 'interactive', maxBytes, mediaType: 'document' } as const;
  const upload = await uploadSingle(deps, call.principal, form).catch((error: unknown) => {
    throw error instanceof AppError && error.code === 'FILE_TOO_LARGE' ? tooLarge(maxBytes) : error;
  });
  return { ...upload, form: form.fields(), elapsedMs: performance.now() - began };
}

/** "over the synchronous limit of /files/analyze (10 MB)" */
function tooLarge(maxBytes: number): AppError {
  return new AppError(
    'FILE_TOO_LARGE',
    `the document is too large: ${maxBytes / 1024 / 1024} MB may be analyzed in one request; upload it instead`,
    {
      suggestion: {
        endpoint: '/api/v2/files/upload',
        message: 'larger documents are analyzed in the background',
      },
    },
  );
}
