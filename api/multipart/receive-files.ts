import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import type { MediaType } from '../../domain/media.ts';
import { AppError, invalidField, type ErrorCode } from '../../domain/app-error.ts';
import { resolveDestination } from '../../services/files/folders/resolve-destination.ts';
import type { ObjectPlace } from '../../domain/object-keys.ts';
import { chooseBucket } from '../../services/storage/choose-bucket.ts';
import { BUCKET_FAILURES } from '../../domain/bucket-failure.ts';
import { UPLOAD_BUFFER_BYTES } from '../../services/uploads/streaming/part-buffers.ts';
import { Intake, type IntakeTarget } from '../../services/uploads/streaming/intake.ts';
import type { UploadAttributes } from '../../services/uploads/ingest-file.ts';
import type { ApiDeps } from '../deps.ts';
import type { Call } from '../http/route.ts';
import { stateOf } from '../http/state.ts';
import { validateFields } from '../http/validate.ts';
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

/** How one kind of upload request differs from another. */
export interface UploadRules<F extends AnyUploadForm> {
  files: FileRule;
  /** Text fields to use. */
  fields: ReadonlySet<string>;
  /** Older clients may send others, which are ignored. */
  ignoreUnknown?: true;
  schema: z.ZodType<F>;
  /** MAX_STREAMED_BYTES where absent. */
  maxFileBytes?: number;
  /** The only accepted medium, if there is one. */
  mediaType?: MediaType;
  /** The client asks for the analysis, not for the upload. */
  analysis?: true;
}

/**
 * Streams the files of one multipart request into the store sequentially, and creates file records for them.
 *
 * Text fields before the first file are validated before any of its bytes are stored. Fields may also follow the files,
 * which then wait for them; of a batch whose first files are in progress with the fields before them, they are refused.
 *
 * @returns the text fields
 * @throws AppError for an invalid upload; then nothing of it is stored or in progress, except the files that a session
 *   keeps of an interrupted request
 */
export async function receiveFiles<F extends AnyUploadForm>(
  { ctx, em, deps, principal, log }: Call<unknown, unknown, unknown>,
  { files, fields, ignoreUnknown, schema, maxFileBytes, mediaType, analysis }: UploadRules<F>,
  target: IntakeTarget,
): Promise<F> {
  const release = reserveMemory(
    deps,
    principal.tenantId,
    Math.min(ctx.request.length ?? UPLOAD_BUFFER_BYTES, UPLOAD_BUFFER_BYTES),
  );
  const onTrouble = (error: unknown, what: string) => log.error({ err: error }, what);
  const given = new Map<string, string>();
  const { tenantId } = principal;
  let place: ObjectPlace = { tenantId };
  const readForm = () => validateFields(schema, Object.fromEntries(given), 'form');
  const intake = new Intake(
    {
      em,
      objects: deps.objects,
      buffers: deps.partBuffers,
      onTrouble,
      ...(maxFileBytes && { maxBytes: maxFileBytes }),
      ...(mediaType && { mediaType }),
    },
    principal,
    target,
    () => place,
    async () => {
      const attributes = await readAttributes(em, tenantId, readForm());
      const { options } = attributes;
      return analysis ? { ...attributes, options: { ...options, analysis } } : attributes;
    },
  );
  try {
    let count = 0;
    for await (const part of readParts(ctx.req, { files, signal: stateOf(ctx).bodyTooSlow })) {
      if (part.type === 'field') {
        if (!fields.has(part.name)) {
          if (ignoreUnknown) continue;
          throw invalidField(pointerTo(part.name), 'unknown field');
        }
        if (intake.settled) throw lateField(part.name);
        const before = given.get(part.name);
        // Clients that know lists send one field for each tag.
        const joins = part.name === 'tags' && before !== undefined;
        given.set(part.name, joins ? `${before},${part.value}` : part.value);
        if (part.name === 'storage_target') {
          const chosen = await chooseBucket(em, tenantId, part.value);
          if (count > 0 && chosen.storageConfigId !== place.storageConfigId) throw lateTarget();
          place = { tenantId, ...chosen };
        }
      } else {
        if (count === 0 && given.size > 0) await intake.begin();
        count += 1;
        await intake.take(part);
      }
    }
    if (count === 0) throw invalidField(`/form/${files.name}`, 'is required');
    await intake.finish();
    return readForm();
  } catch (error) {
    await intake
      .breakOff(error)
      .catch((trouble: unknown) => onTrouble(trouble, 'cleanup of a failed upload is left to the sweep'));
    throw error;
  } finally {
    release();
  }
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
  em: EntityManager,
  tenantId: string,
  form: AnyUploadForm,
): Promise<UploadAttributes> {
  const schemaId = await requireSchema(em.fork(), tenantId, form.custom_schema_id);
  const { folder_id: folderId, project_id: projectId } = form;
  const destination = await resolveDestination(em.fork(), tenantId, { folderId, projectId });
  return toUploadAttributes(form, destination, schemaId);
}

/** The bytes of a file are stored while they arrive. */
function lateTarget(): AppError {
  return invalidField('/form/storage_target', 'must precede the first file');
}

/** Earlier files may already be in progress, with the options of the fields before them. */
function lateField(name: string): AppError {
  return invalidField(
    pointerTo(name),
    'text fields of a batch must all precede the first file, or all follow the last',
  );
}

function pointerTo(name: string): string {
  return `/form/${name.slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
