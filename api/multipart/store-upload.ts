import { randomBytes, randomUUID } from 'node:crypto';
import { sniffContentType } from '../../adapters/content-sniffer.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { ApiDeps } from '../deps.ts';
import { cleanFilename } from '../../domain/filename.ts';
import { MAX_STREAMED_BYTES } from '../../domain/limits.ts';
import { originalKey } from '../../domain/object-keys.ts';
import { AppError } from '../../domain/app-error.ts';
import { acceptUpload } from '../../services/uploads/streaming/accept-upload.ts';
import { claimObject, discardObject, releaseClaim } from '../../services/uploads/claimed-objects.ts';
import { UPLOAD_BUFFER_BYTES } from '../../services/uploads/streaming/part-buffers.ts';
import { startFileWork } from '../../services/processing/start-file-work.ts';
import { createUploadSink, type StoredUpload } from '../../services/uploads/streaming/upload-sink.ts';
import { FORM_BYTES } from './open-form.ts';
import { receiveUpload } from './receive-upload.ts';
import type { Call } from '../http/route.ts';
import { validateFields } from '../http/validate.ts';
import { rejectUnknownReferences } from '../resources/upload/reject-unknown-references.ts';
import { uploadForm, type UploadForm } from '../resources/file/schema.ts';
import { toUploadOptions } from '../resources/upload/to-upload-options.ts';

const RETRY_AFTER_SECONDS = 2;
const MAX_BODY_BYTES = MAX_STREAMED_BYTES + FORM_BYTES;

/** One upload that was answered with a file. */
export interface AnsweredUpload {
  /** The file that was made, or the one that was there. */
  file: StoredFile;
  skipped: boolean;
  stored: StoredUpload;
  form: UploadForm;
  /** Whether the engine has taken the work; if not, the sweep brings it there. */
  started: boolean;
  elapsedMs: number;
}

/**
 * Streams the one file of a request into the store and makes it a file, or finds that it is there already.
 *
 * @param fields text fields by these names count, others are read over
 * @throws AppError, after which nothing is stored
 */
export async function storeUpload(
  { ctx, em, deps, principal, log }: Call<unknown, unknown, unknown>,
  fields: ReadonlySet<string>,
): Promise<AnsweredUpload> {
  const began = performance.now();
  const { objects, engine, partBuffers, uploadPace: pace } = deps;
  rejectOversized(ctx.request.length);
  const release = reserveMemory(deps, principal.tenantId, ctx.request.length);
  try {
    const fileId = randomUUID();
    const key = originalKey(principal.tenantId, fileId, randomBytes(6).toString('hex'));
    let leftover = false;
    await claimObject(em, key);
    const {
      fields: given,
      filename,
      stored,
    } = await receiveUpload(ctx, { fields, pace, maxBytes: MAX_BODY_BYTES }, () =>
      createUploadSink({
        objects,
        buffers: partBuffers,
        detect: sniffContentType,
        key,
        maxBytes: MAX_STREAMED_BYTES,
        onLeftover: (error) => {
          leftover = true;
          log.error({ err: error, key }, 'a refused upload could not be removed yet');
        },
      }),
    ).catch(async (error: unknown) => {
      // The sink has removed the object; a claim that stays for now is found to stand for nothing.
      if (!leftover) await releaseClaim(em, key).catch(() => undefined);
      throw withSuggestion(error);
    });

    const form = await readForm(given).catch(async (error: unknown) => {
      await discardObject({ em, objects }, key);
      throw error;
    });
    const outcome = await acceptUpload({ em, objects }, principal, {
      fileId,
      objectKey: key,
      sizeBytes: stored.sizeBytes,
      sha256: stored.sha256,
      mediaType: stored.mediaType,
      contentType: stored.contentType,
      format: stored.format,
      filename: cleanFilename(filename),
      title: form.title || null,
      ...toUploadOptions(form),
    });
    // The file is stored, whatever the engine says of its work: the sweep asks again.
    const started =
      'created' in outcome &&
      (await startFileWork({ em, engine }, outcome.created).catch((error: unknown) => {
        log.error({ err: error, file_id: fileId }, 'the engine refused to start the work of a file');
        return false;
      }));
    log.info(
      { file_id: fileId, tenant_id: principal.tenantId, size_bytes: stored.sizeBytes, started },
      'file stored',
    );
    return {
      file: 'created' in outcome ? outcome.created : outcome.duplicateOf,
      skipped: 'duplicateOf' in outcome,
      stored,
      form,
      started,
      elapsedMs: performance.now() - began,
    };
  } finally {
    release();
  }
}

/** Refuses before the body is read what is too large by its own word. */
function rejectOversized(length: number | undefined): void {
  if (length !== undefined && length > MAX_BODY_BYTES) {
    throw withSuggestion(new AppError('FILE_TOO_LARGE', 'a streamed file may have 100 MB at most'));
  }
}

/**
 * Sets the memory of one request aside, before its body is read: it holds one file at a time.
 *
 * @returns what gives it back
 * @throws AppError UPLOAD_BACKPRESSURE when there is none for now
 */
export function reserveMemory(
  { uploadMemory }: ApiDeps,
  tenantId: string,
  length: number | undefined,
): () => void {
  const reserved = uploadMemory.reserve(
    tenantId,
    Math.min(length ?? UPLOAD_BUFFER_BYTES, UPLOAD_BUFFER_BYTES),
  );
  if ('release' in reserved) return reserved.release;
  const whose = reserved.refused === 'tenant_limit' ? 'the uploads of this account' : 'all uploads together';
  throw new AppError(
    'UPLOAD_BACKPRESSURE',
    `Upload rejected: ${whose} are at their memory limit. Try again later.`,
    {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    },
  );
}

function withSuggestion(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'FILE_TOO_LARGE') return error;
  const suggestion = {
    endpoint: '/api/v2/files/direct-uploads',
    message: 'larger files go straight to the object store',
  };
  return new AppError('FILE_TOO_LARGE', error.message, { suggestion }, { cause: error });
}

async function readForm(fields: Record<string, string>): Promise<UploadForm> {
  const form = validateFields(uploadForm, fields, 'form');
  rejectUnknownReferencesAndStorage(form);
  return form;
}

/** Things that a client may name but that do not exist. */
export function rejectUnknownReferencesAndStorage(form: Omit<UploadForm, 'title'>): void {
  if (form.storage_target === 'custom') {
    throw new AppError('STORAGE_NOT_CONFIGURED', 'this account has no custom storage');
  }
  rejectUnknownReferences(form);
}
