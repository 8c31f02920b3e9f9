import type { z } from 'zod';
import { MAX_STREAMED_BYTES } from '../../domain/limits.ts';
import { AppError } from '../../domain/app-error.ts';
import { uploadSingle, type UploadedFile } from '../../services/uploads/streaming/upload-single.ts';
import type { Call } from '../http/route.ts';
import type { AnsweredUpload } from '../resources/upload/present.ts';
import { uploadForm, type UploadForm } from '../resources/upload/schema.ts';
import { FORM_BYTES } from './open-form.ts';
import { ONE_FILE } from './read-parts.ts';
import { readUploadRequest, uploadDeps, type UploadRules } from './read-upload-request.ts';
import { analyzeForm } from '../resources/job/schema.ts';

const ANALYZE_FIELDS = new Set(Object.keys(analyzeForm.shape));
/** The fields of an analysis, and the defaults of an upload for all others. */
const ANALYZE_FORM = uploadForm.safeExtend(analyzeForm.shape);

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
    message: 'larger files are uploaded straight to the object store',
  };
  return new AppError('FILE_TOO_LARGE', error.message, { suggestion }, { cause: error });
}

interface StoredDocument extends UploadedFile {
  form: z.output<typeof ANALYZE_FORM>;
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
  const form = readUploadRequest(call, { files: ONE_FILE, fields: ANALYZE_FIELDS, schema: ANALYZE_FORM });
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
