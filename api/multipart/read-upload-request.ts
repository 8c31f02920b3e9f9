import type { z } from 'zod';
import { cleanFilename } from '../../domain/text.ts';
import { AppError, invalidField, type ErrorCode } from '../../domain/app-error.ts';
import { resolveDestination } from '../../services/files/folders/resolve-destination.ts';
import type { ObjectPlace } from '../../domain/object-keys.ts';
import { chooseBucket } from '../../services/storage/read-storage.ts';
import { BUCKET_FAILURES } from '../../domain/bucket-failure.ts';
import { UPLOAD_BUFFER_BYTES } from '../../services/uploads/streaming/part-buffers.ts';
import type { IncomingPart, UploadRequest } from '../../services/uploads/streaming/store-part.ts';
import type { UploadAttributes } from '../../services/uploads/ingest-file.ts';
import type { ApiDeps } from '../deps.ts';
import type { Call } from '../http/route.ts';
import { stateOf } from '../http/state.ts';
import { validateFields } from '../http/validate.ts';
import { requestWebhookOf } from '../resources/request-webhook.ts';
import { requireSchema } from '../resources/upload/require-schema.ts';
import { toUploadAttributes } from '../resources/upload/to-upload-attributes.ts';
import type { AnyUploadForm } from '../resources/upload/schema.ts';
import { readParts, type FileRule } from './read-parts.ts';

const RETRY_AFTER_SECONDS = 2;

/** The errors of a multipart request, besides those of its files. */
export const UPLOAD_ERRORS: readonly ErrorCode[] = [
  'BAD_REQUEST',
  'STORAGE_NOT_CONFIGURED',
  ...BUCKET_FAILURES,
  'CUSTOM_SCHEMA_NOT_FOUND',
  'NOT_FOUND',
  'PROJECT_ARCHIVED',
  'UPLOAD_TOO_SLOW',
  'FILE_TOO_LARGE',
  'UPLOAD_BACKPRESSURE',
];

/** Options by kind of upload request. */
export interface UploadRules<F extends AnyUploadForm> {
  files: FileRule;
  /** Names of the text fields to use. */
  fields: ReadonlySet<string>;
  /** Ignores unknown fields, which older clients may send. */
  ignoreUnknown?: true;
  schema: z.ZodType<F>;
  /** The request is for an analysis, not for an upload. */
  analysis?: true;
}

/** The body of an upload request, and its text fields. */
export interface FormRequest<F extends AnyUploadForm> extends UploadRequest {
  /** The text fields received so far. @throws AppError when they are invalid */
  fields(): F;
}

/**
 * Reads the files of one multipart request, and the text fields around them, while the files are consumed. The memory
 * of the request is reserved before its body is read, until its last file has been consumed.
 *
 * Text fields before the first file are validated before any of its bytes are read. Fields may also follow the files;
 * those of a batch only if none precede them, since files may already be in progress with the options of the fields
 * before them.
 */
export function readUploadRequest<F extends AnyUploadForm>(
  call: Call<unknown, unknown, unknown>,
  { files: rule, fields: known, ignoreUnknown, schema, analysis }: UploadRules<F>,
): FormRequest<F> {
  const { ctx, em, deps, principal } = call;
  const { tenantId } = principal;
  const given = new Map<string, string>();
  let place: ObjectPlace = { tenantId };
  let count = 0;
  let before: UploadAttributes | undefined;

  const fields = () => validateFields(schema, Object.fromEntries(given), 'form');

  async function attributes(): Promise<UploadAttributes> {
    const read = await readAttributes(call, fields());
    return analysis ? { ...read, options: { ...read.options, analysis } } : read;
  }

  async function addField(name: string, value: string): Promise<void> {
    if (!known.has(name)) {
      if (ignoreUnknown) return;
      throw invalidField(pointerTo(name), 'unknown field');
    }
    if (before && rule.max > 1) throw lateField(name);
    const earlier = given.get(name);
    // Clients that support lists send one field per tag.
    const joins = name === 'tags' && earlier !== undefined;
    given.set(name, joins ? `${earlier},${value}` : value);
    if (name === 'storage_target') {
      const chosen = await chooseBucket(em, tenantId, value);
      if (count > 0 && chosen.storageConfigId !== place.storageConfigId) throw lateTarget();
      place = { tenantId, ...chosen };
    }
  }

  async function* files(): AsyncGenerator<IncomingPart, void, void> {
    const bytes = Math.min(ctx.request.length ?? UPLOAD_BUFFER_BYTES, UPLOAD_BUFFER_BYTES);
    const release = reserveMemory(deps, tenantId, bytes);
    try {
      for await (const part of readParts(ctx.req, { files: rule, signal: stateOf(ctx).bodyTooSlow })) {
        if (part.type === 'field') {
          await addField(part.name, part.value);
          continue;
        }
        if (count === 0 && given.size > 0) before = await attributes();
        count += 1;
        const { index, contentType, stream } = part;
        const filename = cleanFilename(part.filename);
        yield { index, filename, contentType, stream, place, attributes: before };
      }
    } finally {
      release();
    }
  }

  return { fileField: rule.name, files: files(), attributes, fields };
}

/** The dependencies for storing the files of a request. */
export function uploadDeps({ em, deps, log }: Call<unknown, unknown, unknown>) {
  const { objects, engine, partBuffers: buffers } = deps;
  const onError = (error: unknown, what: string) => log.error({ err: error }, what);
  return { em, objects, engine, buffers, onError };
}

/**
 * Reserves the memory of one request, before its body is read. A form buffers one file at a time.
 *
 * @returns a function that releases it
 * @throws AppError UPLOAD_BACKPRESSURE when none is available
 */
export function reserveMemory({ uploadMemory }: ApiDeps, tenantId: string, bytes: number): () => void {
  const reserved = uploadMemory.reserve(tenantId, bytes);
  if ('release' in reserved) return reserved.release;
  const whose = reserved.refused === 'tenant_limit' ? 'the uploads of this account' : 'all uploads together';
  throw new AppError(
    'UPLOAD_BACKPRESSURE',
    // "a backpressure rejection reads: upload rejected with a limit reason, try again later"
    `Upload rejected: ${whose} are at their memory limit. Try again later.`,
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}

async function readAttributes(
  call: Call<unknown, unknown, unknown>,
  form: AnyUploadForm,
): Promise<UploadAttributes> {
  const { em, principal } = call;
  const { tenantId } = principal;
  const schemaId = await requireSchema(em.fork(), tenantId, form.custom_schema_id);
  const { folder_id: folderId, project_id: projectId } = form;
  const destination = await resolveDestination(em.fork(), tenantId, { folderId, projectId });
  return {
    ...toUploadAttributes(form, destination, schemaId),
    webhook: requestWebhookOf(call, form, 'form'),
  };
}

/** The bytes of a file are stored while they arrive. */
function lateTarget(): AppError {
  return invalidField('/form/storage_target', 'must precede the first file');
}

function lateField(name: string): AppError {
  return invalidField(
    pointerTo(name),
    'text fields of a batch must all precede the first file, or all follow the last',
  );
}

function pointerTo(name: string): string {
  return `/form/${name.slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
