import { randomBytes } from 'node:crypto';
import { AppError } from '../../domain/app-error.ts';
import { filenameOf } from '../../domain/text.ts';
import { originalKey } from '../../domain/object-keys.ts';
import type { Engine } from '../../temporal/client.ts';
import type { ImportOutcome, ImportTarget } from '../../temporal/contract/import-image.ts';
import { startIngestedFile } from '../uploads/ingest-file.ts';
import { discardObject } from '../uploads/claimed-objects.ts';
import { completeImageImport } from './end-image-import.ts';
import { acknowledge } from '../shared/due.ts';
import { ImageImport } from '../../db/entities/uploads/image-import.ts';
import { findImageImport } from './find-image-import.ts';
import type { WebFetch } from '../../adapters/web-fetch/web-fetch.ts';
import { MAX_STREAMED_BYTES } from '../../domain/limits.ts';
import { acceptedFormats } from '../uploads/accepted-content.ts';
import { storeBytes, type StorePartDeps } from '../uploads/streaming/store-part.ts';
import type { StoredUpload } from '../uploads/streaming/upload-sink.ts';

export interface ImportImageDeps extends FetchImageDeps {
  engine: Engine;
}

/**
 * Fetches the image of an import, makes it a file and starts its processing. Idempotent at any point: an outcome of an
 * earlier attempt is only read.
 *
 * @throws as fetchImage; AppError NOT_FOUND when the import is gone
 */
export async function importImage(
  deps: ImportImageDeps,
  target: ImportTarget,
  signal: AbortSignal,
): Promise<ImportOutcome> {
  const { em } = deps;
  const read = await findImageImport(em, target);
  await acknowledge(em, ImageImport, read);
  const { status, url } = read;
  if (status === 'pending' && url) await fetchInto(deps, target, url, signal);
  const ended = await findImageImport(em, target);
  if (ended.status === 'failed') return 'failed';
  if (ended.duplicateOf) return 'duplicate';
  await startIngestedFile(deps, target, 'interactive');
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
    // After any other error it is unknown whether the row was written, so the object stays; without a row, its claim
    // does.
    if (error instanceof AppError) await discard();
    throw error;
  }
}

interface FetchImageDeps extends Omit<StorePartDeps, 'maxBytes' | 'mediaType'> {
  web: WebFetch;
}

/**
 * Streams the image behind a URL that a client has chosen into the object store. Its type is decided by its leading
 * bytes, before anything is stored, regardless of the declared type. To be called from an activity, never from a
 * request.
 *
 * The object is claimed: it stays when a row is written for its key (ingest-file.ts) or the caller discards it, and is
 * otherwise removed with the abandoned ones.
 *
 * @param key never used before
 * @throws WebFetchError; AppError UNSUPPORTED_MEDIA, EMPTY_FILE; the reason of the signal; the error of database or
 * store
 */
async function fetchImage(
  { web, ...deps }: FetchImageDeps,
  url: string,
  key: string,
  signal: AbortSignal,
): Promise<StoredUpload> {
  const content = await web.open(url, { maxBytes: MAX_STREAMED_BYTES, signal });
  try {
    // One byte above the limit of the fetch, so that the fetch fails first, with its specific error.
    return await storeBytes(
      { ...deps, maxBytes: MAX_STREAMED_BYTES + 1, mediaType: 'image' },
      content,
      key,
      {},
    );
  } catch (error) {
    content.destroy();
    if (!(error instanceof AppError) || error.code !== 'UNSUPPORTED_MEDIA') throw error;
    throw new AppError(
      error.code,
      `the content of the URL is not an image of an accepted type: ${acceptedFormats('image')}`,
      {},
      { cause: error },
    );
  }
}
