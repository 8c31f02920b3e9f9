import { sniffContentType } from '../../../adapters/content-sniffer.ts';
import { Refusal } from '../../../domain/refusal.ts';
import { batchStatus, sessionChannel } from '../../../domain/session.ts';
import { BatchIntake } from '../../../services/batch-intake.ts';
import type { BatchOptions, FileOutcome } from '../../../services/batch-intake.ts';
import { receiveBatch } from '../../receive-batch.ts';
import { linger } from '../../open-form.ts';
import { json } from '../../responses.ts';
import { route } from '../../route.ts';
import { validate } from '../../validate.ts';
import { refuseWhatIsNotThere, reserveMemory } from '../files/upload-route.ts';
import { sessionPath } from './present.ts';
import { batchAnswer, batchForm, batchFormDocument } from './schema.ts';

/** Larger batches are polled or listened to. */
const IMMEDIATE_RESULTS = 5;
const FIELDS = new Set(Object.keys(batchForm.shape));

/** Many files in one request, streamed one after the other; their processing starts by itself. */
export const batchUploadRoute = route({
  method: 'post',
  path: '/files/upload/batch',
  operationId: 'uploadBatch',
  summary: 'Upload several files in one request',
  permission: 'EDIT',
  form: batchFormDocument,
  responses: json(201, batchAnswer),
  async handle({ ctx, em, deps, principal, log }) {
    const { objects, engine, partBuffers } = deps;
    const release = reserveMemory(deps, principal.tenantId, ctx.request.length);
    const fields = new Map<string, string>();
    const onTrouble = (error: unknown, what: string) => log.error({ err: error }, what);
    const intake = new BatchIntake(
      { em, engine, objects, buffers: partBuffers, detect: sniffContentType, onTrouble },
      principal,
      () => readOptions(Object.fromEntries(fields)),
    );
    try {
      let files = 0;
      for await (const part of receiveBatch(ctx.req, FIELDS, deps.uploadPace)) {
        if (part.type === 'field') {
          if (intake.begun) throw lateField(part.name);
          fields.set(part.name, part.value);
        } else {
          if (files === 0 && fields.size > 0) await intake.begin();
          files += 1;
          await intake.take(part);
        }
      }
      if (files === 0) throw noFiles();
      await intake.finish('client');
    } catch (error) {
      linger(ctx.req);
      await wrapUp(intake, error).catch((trouble: unknown) =>
        onTrouble(trouble, 'a broken batch is left to its workflow'),
      );
      throw error;
    } finally {
      release();
    }
    log.info({ session_id: intake.sessionId, files: intake.outcomes.length }, 'batch stored');
    ctx.status = 201;
    return presentBatch(intake.sessionId, intake.outcomes);
  },
});

/** A request that asked for the wrong thing leaves nothing at work; one that broke keeps what had come by then. */
async function wrapUp(intake: BatchIntake, error: unknown): Promise<void> {
  if (error instanceof Refusal && error.code !== 'CLIENT_GONE' && error.code !== 'BAD_REQUEST') {
    return intake.abandon();
  }
  try {
    await intake.finish('connection');
  } catch (failure) {
    await intake.abandon();
    throw failure;
  }
}

/** @throws Refusal VALIDATION_FAILED, or what it is that is not there */
function readOptions(fields: Record<string, string>): BatchOptions {
  const form = validate(batchForm, fields, 'form');
  refuseWhatIsNotThere(form);
  return {
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
  };
}

function presentBatch(sessionId: string, outcomes: FileOutcome[]) {
  const of = (kind: FileOutcome['kind']) => outcomes.filter((outcome) => outcome.kind === kind);
  const rejected = of('rejected');
  const [accepted, skipped] = [of('accepted').length, of('skipped').length];
  return {
    session_id: sessionId,
    total_files: outcomes.length,
    accepted_files: accepted + skipped,
    rejected_files: rejected.length,
    status: batchStatus({ accepted, skipped, rejected: rejected.length }),
    immediate_results: outcomes.length <= IMMEDIATE_RESULTS ? outcomes.map(presentOutcome) : [],
    status_url: sessionPath(sessionId, 'status'),
    websocket_channel: sessionChannel(sessionId),
    rejections:
      rejected.length > 0
        ? rejected.map(({ filename, index, code, reason, retryable }) => ({
            filename,
            index,
            code,
            reason,
            retryable,
          }))
        : null,
  };
}

const UPLOAD_STATUS = { accepted: 'completed', skipped: 'skipped', rejected: 'failed' } as const;

function presentOutcome({ kind, filename, fileId, elapsedMs, reason, mediaType }: FileOutcome) {
  return {
    file_id: fileId ?? null,
    filename,
    status: UPLOAD_STATUS[kind],
    processing_time_ms: Math.round(elapsedMs),
    skipped: kind === 'skipped',
    existing_file_id: kind === 'skipped' ? (fileId ?? null) : null,
    error: reason ?? null,
    storage_target: 'default',
    media_type: mediaType ?? null,
    document_type: null,
    text_extraction_status: null,
  };
}

function noFiles(): Refusal {
  const errors = [{ pointer: '/form/files', message: 'required' }];
  return new Refusal('VALIDATION_FAILED', '/form/files: required', { errors });
}

/** The files before it are already at work under the options of the fields before them. */
function lateField(name: string): Refusal {
  const pointer = `/form/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  const message = 'text fields stand all before the first file, or all after it';
  return new Refusal('VALIDATION_FAILED', `${pointer}: ${message}`, { errors: [{ pointer, message }] });
}
