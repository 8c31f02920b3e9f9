import type { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { describeSpan } from '../../../domain/tracing.ts';
import type { Engine } from '../../../temporal/client.ts';
import type { PriorityName } from '../../../temporal/contract/queues.ts';
import type { Principal } from '../../accounts/principal.ts';
import { startFileWork } from '../../processing/start-file-work.ts';
import { discardObject } from '../claimed-objects.ts';
import type { UploadAttributes } from '../ingest-file.ts';
import { acceptUpload } from './accept-upload.ts';
import {
  storePart,
  missingFile,
  type StoredPart,
  type StorePartDeps,
  type UploadRequest,
} from './store-part.ts';

export interface UploadSingleDeps extends StorePartDeps {
  engine: Engine;
  /** `normal` where absent. */
  priority?: PriorityName;
}

/** The result of a single-file request. */
export interface UploadedFile {
  /** The created file, or the existing one. */
  file: StoredFile;
  skipped: boolean;
  stored: StoredPart;
  /** Whether the engine has started the work; if not, the sweep does. */
  started: boolean;
}

/**
 * Uploads the file of a single-file request, which is all or nothing: the file is accepted once the whole body has been
 * read, with all of its text fields, and its work is started.
 *
 * @throws AppError, after which nothing is stored
 */
export async function uploadSingle(
  deps: UploadSingleDeps,
  principal: Principal,
  request: UploadRequest,
): Promise<UploadedFile> {
  const { stored, attributes } = await receive(deps, request);
  const { em, objects } = deps;
  const outcome = await acceptUpload({ em: em.fork(), objects }, principal, { ...stored, ...attributes });
  return 'created' in outcome
    ? { file: outcome.created, skipped: false, stored, started: await start(deps, outcome.created) }
    : { file: outcome.duplicateOf, skipped: true, stored, started: false };
}

async function receive(
  deps: StorePartDeps,
  request: UploadRequest,
): Promise<{ stored: StoredPart; attributes: UploadAttributes }> {
  const { em, objects } = deps;
  let stored: StoredPart | undefined;
  try {
    for await (const part of request.files) stored = await storePart(deps, part);
    if (!stored) throw missingFile(request);
    return { stored, attributes: await request.attributes() };
  } catch (error) {
    if (stored) await discardObject({ em: em.fork(), objects }, stored.objectKey);
    throw error;
  }
}

/** The file is stored whether or not its work can be started: the sweep retries. */
async function start(
  { em, engine, onError, priority }: UploadSingleDeps,
  file: StoredFile,
): Promise<boolean> {
  describeSpan({ file_id: file.id });
  try {
    return await startFileWork({ em, engine }, file, priority);
  } catch (error) {
    onError(error, `the engine refused to start the work of file ${file.id}`);
    return false;
  }
}
