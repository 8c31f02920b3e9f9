import type { EntityManager } from '@mikro-orm/postgresql';
import type { Readable } from 'node:stream';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import { MAX_STREAMED_BYTES } from '../../../domain/limits.ts';
import { claimObject, releaseClaim } from '../claimed-objects.ts';
import type { PartBuffers } from './part-buffers.ts';
import { createUploadSink, type StoredUpload } from './upload-sink.ts';

export interface StorePartDeps {
  em: EntityManager;
  objects: ObjectStore;
  buffers: PartBuffers;
  detect: (head: Uint8Array) => Promise<string | undefined>;
  /** Told of what went wrong beside the answer. */
  onTrouble: (error: unknown, what: string) => void;
}

/**
 * Stores the bytes of one file part under a key that is claimed first, so that whatever a dead process leaves is found.
 * The stream is read to its end, also when the file is refused: the next part stands behind it.
 *
 * @throws AppError EMPTY_FILE, UNSUPPORTED_MEDIA, FILE_TOO_LARGE, CLIENT_GONE; the error of database or store
 */
export async function storePart(
  { em, objects, buffers, detect, onTrouble }: StorePartDeps,
  stream: Readable,
  key: string,
): Promise<StoredUpload> {
  await claimObject(em.fork(), key);
  let leftover = false;
  const onLeftover = (error: unknown) => {
    leftover = true;
    onTrouble(error, `a refused upload could not be removed yet: ${key}`);
  };
  const sink = createUploadSink({ objects, buffers, detect, key, maxBytes: MAX_STREAMED_BYTES, onLeftover });
  const tear = () => {
    if (!stream.readableEnded) sink.writable.destroy(stream.errored ?? undefined);
  };
  // By then it is known what it failed with: a reader of forms may word an error anew.
  stream.once('close', tear);
  if (stream.destroyed) tear();
  stream.pipe(sink.writable);
  try {
    return await sink.result;
  } catch (error) {
    stream.unpipe();
    stream.resume();
    if (!leftover) await releaseClaim(em.fork(), key).catch(() => undefined);
    throw error;
  }
}
