import { randomBytes, randomUUID } from 'node:crypto';
import { sniffContentType } from '../../../adapters/content-sniffer.ts';
import type { ApiDeps } from '../../deps.ts';
import { cleanFilename } from '../../../domain/filename.ts';
import { MAX_STREAMED_BYTES } from '../../../domain/limits.ts';
import { originalKey } from '../../../domain/object-keys.ts';
import { notFound, Refusal } from '../../../domain/refusal.ts';
import { ingestFile } from '../../../services/ingest-file.ts';
import { UPLOAD_BUFFER_BYTES } from '../../../services/part-buffers.ts';
import { startFileWork } from '../../../services/start-file-work.ts';
import { createUploadSink } from '../../../services/upload-sink.ts';
import { FORM_BYTES, receiveUpload } from '../../receive-upload.ts';
import { json } from '../../responses.ts';
import { route } from '../../route.ts';
import { validate } from '../../validate.ts';
import { uploadAnswer, uploadForm, uploadFormDocument } from './schema.ts';
import type { UploadForm } from './schema.ts';

const RETRY_AFTER_SECONDS = 2;

/** One file, streamed straight to the object store; its processing starts by itself. */
export const fileUploadRoute = route({
  method: 'post',
  path: '/files/upload',
  operationId: 'uploadFile',
  summary: 'Upload one file',
  permission: 'EDIT',
  form: uploadFormDocument,
  responses: json(201, uploadAnswer),
  async handle({ ctx, em, deps, principal, log }) {
    const began = performance.now();
    const { objects, engine, partBuffers } = deps;
    refuseOversized(ctx.request.length);
    const release = reserveMemory(deps, principal.tenantId, ctx.request.length);
    try {
      const fileId = randomUUID();
      const key = originalKey(principal.tenantId, fileId, randomBytes(6).toString('hex'));
      const { fields, filename, stored } = await receiveUpload(ctx, () =>
        createUploadSink({
          objects,
          buffers: partBuffers,
          detect: sniffContentType,
          key,
          maxBytes: MAX_STREAMED_BYTES,
          onLeftover: (error) => log.error({ err: error, key }, 'a refused upload could not be removed'),
        }),
      ).catch((error: unknown) => {
        throw withSuggestion(error);
      });

      const outcome = await accept().catch(async (error: unknown) => {
        await objects.remove([key]);
        throw error;
      });
      if ('duplicateOf' in outcome) await objects.remove([key]);
      const started = 'created' in outcome && (await startFileWork({ em, engine }, outcome.created));
      ctx.status = 201;
      const { form } = outcome;
      log.info(
        { file_id: fileId, tenant_id: principal.tenantId, size_bytes: stored.sizeBytes, started },
        'file stored',
      );
      return {
        file_id: 'created' in outcome ? fileId : outcome.duplicateOf.id,
        upload_method: 'STREAMING',
        status: 'created' in outcome ? 'processing' : 'skipped',
        processing_time_ms: Math.round(performance.now() - began),
        upload_completed: true,
        thumbnail_generation_started: started,
        analysis_started: started && form.auto_describe,
        skipped: 'duplicateOf' in outcome,
        existing_file_id: 'duplicateOf' in outcome ? outcome.duplicateOf.id : null,
        storage_target: form.storage_target,
        media_type: stored.mediaType,
      };

      async function accept() {
        const form = validate(uploadForm, fields, 'form');
        refuseWhatIsNotThere(form);
        const result = await ingestFile(em, principal, {
          fileId,
          objectKey: key,
          sizeBytes: stored.sizeBytes,
          sha256: stored.sha256,
          mediaType: stored.mediaType,
          contentType: stored.contentType,
          format: stored.format,
          filename: cleanFilename(filename),
          title: form.title || null,
          tags: form.tags,
          contentCategory: form.content_category,
          options: {
            autoDescribe: form.auto_describe,
            skipDuplicates: form.skip_duplicates,
            ...(form.compliance_type && {
              compliance: {
                type: form.compliance_type,
                standard: form.compliance_standard ?? '',
                imageType: form.compliance_image_type,
              },
            }),
          },
        });
        return { ...result, form };
      }
    } finally {
      release();
    }
  },
});

/** Refuses before the body is read what is too large by its own word. */
function refuseOversized(length: number | undefined): void {
  if (length !== undefined && length > MAX_STREAMED_BYTES + FORM_BYTES) {
    throw withSuggestion(new Refusal('FILE_TOO_LARGE', 'a streamed file may have 100 MB at most'));
  }
}

/**
 * Sets the memory of one request aside, before its body is read: it holds one file at a time.
 *
 * @returns what gives it back
 * @throws Refusal UPLOAD_BACKPRESSURE when there is none for now
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
  throw new Refusal(
    'UPLOAD_BACKPRESSURE',
    `Upload rejected: ${whose} are at their memory limit. Try again later.`,
    {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    },
  );
}

function withSuggestion(error: unknown): unknown {
  if (!(error instanceof Refusal) || error.code !== 'FILE_TOO_LARGE') return error;
  const suggestion = {
    endpoint: '/api/v2/files/direct-uploads',
    message: 'larger files go straight to the object store',
  };
  return new Refusal('FILE_TOO_LARGE', error.message, { suggestion }, { cause: error });
}

/** Things that a client may name but that do not exist. */
export function refuseWhatIsNotThere(form: Omit<UploadForm, 'title'>): void {
  if (form.storage_target === 'custom') {
    throw new Refusal('STORAGE_NOT_CONFIGURED', 'this account has no custom storage');
  }
  if (form.folder_id) throw notFound('folder');
  if (form.project_id) throw notFound('project');
  if (form.custom_schema_id) throw new Refusal('CUSTOM_SCHEMA_NOT_FOUND', 'saved schema not found');
}
