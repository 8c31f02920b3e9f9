import { randomBytes } from 'node:crypto';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { AppError } from '../../domain/app-error.ts';
import { cleanFilename } from '../../domain/filename.ts';
import { originalKey } from '../../domain/object-keys.ts';
import type { Engine } from '../../temporal/client.ts';
import type { ImportOutcome, ImportTarget } from '../../temporal/contract/import-image.ts';
import { startFileWork } from '../processing/start-file-work.ts';
import { discardObject } from '../uploads/claimed-objects.ts';
import { completeImageImport } from './end-image-import.ts';
import { fetchImage, type FetchImageDeps } from './fetch-image.ts';
import { findImageImport } from './find-image-import.ts';

export interface ImportImageDeps extends FetchImageDeps {
  engine: Engine;
}

/**
 * Fetches the image of an import, makes it a file and starts its processing. Idempotent at any point: what an earlier
 * attempt has ended is only read.
 *
 * @throws as fetchImage; AppError NOT_FOUND when the import is gone
 */
export async function importImage(
  deps: ImportImageDeps,
  target: ImportTarget,
  signal: AbortSignal,
): Promise<ImportOutcome> {
  const { em } = deps;
  const { status, url } = await findImageImport(em, target);
  if (status === 'pending' && url) await fetchInto(deps, target, url, signal);
  const ended = await findImageImport(em, target);
  if (ended.status === 'failed') return 'failed';
  if (ended.duplicateOf) return 'duplicate';
  await startWork(deps, target);
  return 'created';
}

async function fetchInto(
  deps: ImportImageDeps,
  target: ImportTarget,
  url: string,
  signal: AbortSignal,
): Promise<void> {
  const { em, objects } = deps;
  const { fileId, tenantId } = target;
  const objectKey = originalKey({ tenantId }, fileId, randomBytes(6).toString('hex'));
  const stored = await fetchImage(deps, url, objectKey, signal);
  const discard = () => discardObject({ em: em.fork(), objects }, objectKey);
  try {
    const outcome = await completeImageImport(em.fork(), target, {
      ...stored,
      objectKey,
      filename: filenameOf(url),
    });
    if (!outcome || 'duplicateOf' in outcome) await discard();
  } catch (error) {
    // After any other error it is unknown whether the row was written, so the object stays; without a row, its claim does.
    if (error instanceof AppError) await discard();
    throw error;
  }
}

/** As for any other file: if the engine is unreachable, the work stays due. */
async function startWork({ em, engine }: ImportImageDeps, { fileId, tenantId }: ImportTarget): Promise<void> {
  const file = await em.findOne(StoredFile, {
    id: fileId,
    tenantId,
    generation: 1,
    engineDueAt: { $ne: null },
    deletedAt: null,
  });
  if (file) await startFileWork({ em, engine }, file, 'interactive');
}

/** The last part of the path, as far as it is a name. */
function filenameOf(url: string): string {
  const last = new URL(url).pathname.split('/').at(-1) ?? '';
  try {
    return cleanFilename(decodeURIComponent(last));
  } catch {
    return cleanFilename(last);
  }
}
