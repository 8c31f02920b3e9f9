import { sniffContentType } from '../../adapters/content-sniffer.ts';
import { invalidField, AppError } from '../../domain/app-error.ts';
import { BatchIntake, type BatchOptions } from '../../services/uploads/batch/batch-intake.ts';
import type { FileOutcome } from '../../services/uploads/batch/batch-outcomes.ts';
import { drainRequest } from './open-form.ts';
import { receiveBatch } from './receive-batch.ts';
import type { Call } from '../http/route.ts';
import { rejectUnknownReferencesAndStorage, reserveMemory } from './store-upload.ts';
import { toUploadOptions } from '../resources/upload/to-upload-options.ts';
import type { BatchForm } from '../resources/upload-session/schema.ts';

/** How one kind of batch request differs from another. */
export interface BatchRules {
  /** Text fields by these names count, others are read over. */
  fields: ReadonlySet<string>;
  /** Throws a AppError for fields that are wrong. */
  readForm: (fields: Record<string, string>) => BatchForm;
  maxFiles: number;
}

/**
 * Streams the files of a batch request, one after the other, into a session of its own.
 *
 * @throws AppError for a request that is no such batch; then nothing of it is at work
 */
export async function storeBatch(
  { ctx, em, deps, principal, log }: Call<unknown, unknown, unknown>,
  rules: BatchRules,
): Promise<{ sessionId: string; outcomes: FileOutcome[] }> {
  const { objects, engine, partBuffers } = deps;
  const release = reserveMemory(deps, principal.tenantId, ctx.request.length);
  const fields = new Map<string, string>();
  const onTrouble = (error: unknown, what: string) => log.error({ err: error }, what);
  const intake = new BatchIntake(
    { em, engine, objects, buffers: partBuffers, detect: sniffContentType, onTrouble },
    principal,
    rules.maxFiles,
    () => toOptions(rules.readForm(Object.fromEntries(fields))),
  );
  try {
    let files = 0;
    for await (const part of receiveBatch(ctx.req, rules.fields, deps.uploadPace)) {
      if (part.type === 'field') {
        if (intake.begun) throw lateField(part.name);
        fields.set(part.name, part.value);
      } else {
        if (files === 0 && fields.size > 0) await intake.begin();
        files += 1;
        await intake.take(part);
      }
    }
    if (files === 0) throw invalidField('/form/files', 'required');
    await intake.finish('client');
  } catch (error) {
    drainRequest(ctx.req);
    await wrapUp(intake, error).catch((trouble: unknown) =>
      onTrouble(trouble, 'a broken batch is left to its workflow'),
    );
    throw error;
  } finally {
    release();
  }
  log.info({ session_id: intake.sessionId, files: intake.outcomes.length }, 'batch stored');
  return { sessionId: intake.sessionId, outcomes: intake.outcomes };
}

/** A request that asked for the wrong thing leaves nothing at work; one that broke keeps what had come by then. */
async function wrapUp(intake: BatchIntake, error: unknown): Promise<void> {
  if (error instanceof AppError && error.code !== 'CLIENT_GONE' && error.code !== 'BAD_REQUEST') {
    return intake.abandon();
  }
  try {
    await intake.finish('connection');
  } catch (failure) {
    await intake.abandon();
    throw failure;
  }
}

function toOptions(form: BatchForm): BatchOptions {
  rejectUnknownReferencesAndStorage(form);
  return toUploadOptions(form);
}

/** The files before it are already at work under the options of the fields before them. */
function lateField(name: string): AppError {
  const pointer = `/form/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return invalidField(pointer, 'text fields stand all before the first file, or all after it');
}
