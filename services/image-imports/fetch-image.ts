import type { WebFetch } from '../../adapters/web-fetch/web-fetch.ts';
import { AppError } from '../../domain/app-error.ts';
import { MAX_STREAMED_BYTES } from '../../domain/limits.ts';
import { acceptedFormats } from '../uploads/accepted-content.ts';
import { storeBytes, type StorePartDeps } from '../uploads/streaming/store-part.ts';
import type { StoredUpload } from '../uploads/streaming/upload-sink.ts';

export interface FetchImageDeps extends Omit<StorePartDeps, 'maxBytes' | 'mediaType'> {
  web: WebFetch;
}

/**
 * Streams the image behind a URL that a client has chosen into the object store. Its type is decided by its leading
 * bytes, before anything is stored, whatever the site says. To be called from an activity, never from a request.
 *
 * The object is claimed: it stays when a row is written for its key (ingest-file.ts) or the caller discards it, and is
 * otherwise removed with the abandoned ones.
 *
 * @param key never used before
 * @throws WebFetchError; AppError UNSUPPORTED_MEDIA, EMPTY_FILE; the reason of the signal; the error of database or store
 */
export async function fetchImage(
  { web, ...deps }: FetchImageDeps,
  url: string,
  key: string,
  signal: AbortSignal,
): Promise<StoredUpload> {
  const content = await web.open(url, { maxBytes: MAX_STREAMED_BYTES, signal });
  try {
    // One byte more than the fetch lets through, which therefore says why.
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
      `the content of the URL is no image of an accepted type: ${acceptedFormats('image')}`,
      {},
      { cause: error },
    );
  }
}
