import type { EntityManager } from '@mikro-orm/postgresql';
import type { Readable } from 'node:stream';
import { sniffContentType } from '../../../adapters/content-sniffer/content-sniffer.ts';
import type { Declared } from '../../../adapters/content-sniffer/text-type.ts';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import { MAX_STREAMED_BYTES } from '../../../domain/limits.ts';
import type { MediaType } from '../../../domain/media.ts';
import { acceptedContent } from '../accepted-content.ts';
import { claimObject, releaseClaim } from '../claimed-objects.ts';
import type { PartBuffers } from './part-buffers.ts';
import { createUploadSink, fillSink, type StoredUpload } from './upload-sink.ts';

export interface StorePartDeps {
  em: EntityManager;
  objects: ObjectStore;
  buffers: PartBuffers;
  /** Reports errors that do not affect the response. */
  onTrouble: (error: unknown, what: string) => void;
  /** MAX_STREAMED_BYTES where absent. */
  maxBytes?: number;
  /** The only accepted medium, if there is one. */
  mediaType?: MediaType;
}

/**
 * Stores the bytes of one file part under a key claimed beforehand, so that leftovers of a dead process are found. The
 * stream is always read to its end, even for a rejected file: the next part follows in the same body.
 *
 * @throws AppError EMPTY_FILE, UNSUPPORTED_MEDIA, FILE_TOO_LARGE, CLIENT_GONE; the error of database or store
 */
export async function storePart(
  { em, objects, buffers, onTrouble, maxBytes = MAX_STREAMED_BYTES, mediaType }: StorePartDeps,
  stream: Readable,
  key: string,
  declared: Declared,
): Promise<StoredUpload> {
  await claimObject(em.fork(), key);
  let leftover = false;
  const onLeftover = (error: unknown) => {
    leftover = true;
    onTrouble(error, `a rejected upload could not be removed yet: ${key}`);
  };
  const sink = createUploadSink({
    objects,
    buffers,
    async detect(head) {
      const type = await sniffContentType(head, declared);
      if (mediaType) acceptedContent(type, mediaType);
      return type;
    },
    key,
    maxBytes,
    onLeftover,
  });
  try {
    return await fillSink(sink, stream);
  } catch (error) {
    if (!leftover) await releaseClaim(em.fork(), key).catch(() => undefined);
    throw error;
  }
}
