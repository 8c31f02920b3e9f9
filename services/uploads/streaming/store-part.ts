import { randomBytes, randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Readable } from 'node:stream';
import { type Declared, sniffContentType } from '../../../engines/content-sniffer/content-sniffer.ts';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import { type AppError, invalidField } from '../../../domain/app-error.ts';
import { MAX_STREAMED_BYTES } from '../../../domain/limits.ts';
import type { MediaType } from '../../../domain/media.ts';
import { originalKey, type ObjectPlace } from '../../../domain/object-keys.ts';
import { acceptedContent } from '../accepted-content.ts';
import { contentOfObject } from '../content-of-object.ts';
import { claimObject, releaseClaim } from '../claimed-objects.ts';
import type { PartBuffers } from './part-buffers.ts';
import { createUploadSink, fillSink, type StoredUpload } from './upload-sink.ts';
import type { UploadAttributes } from '../ingest-file.ts';

/** One file of a request, as it arrives. */
export interface IncomingPart {
  index: number;
  /** The sanitized file name. */
  filename: string;
  /** As declared by the client. */
  contentType?: string | undefined;
  /** The bucket and tenant of its object. */
  place: ObjectPlace;
  /** To be read to its end, or drained, before the next file is requested. */
  stream: Readable;
  /**
   * From the text fields before the first file, which have been validated before any of its bytes are read. Absent if
   * there were none, so that they may follow the files. Those of a batch are final.
   */
  attributes?: UploadAttributes | undefined;
}

/** The body of an upload request, which is read while its files are consumed. */
export interface UploadRequest {
  /** The name of the field of its files. */
  fileField: string;
  /**
   * The files, in order. Leaving the loop stops reading.
   *
   * @throws AppError CLIENT_GONE, BAD_REQUEST for a body that breaks off, and the errors of the text fields
   */
  files: AsyncIterable<IncomingPart> | Iterable<IncomingPart>;
  /** From the text fields received so far. @throws AppError when they are invalid */
  attributes(): Promise<UploadAttributes>;
}

export function missingFile({ fileField }: UploadRequest): AppError {
  return invalidField(`/form/${fileField}`, 'is required');
}

export interface StorePartDeps {
  em: EntityManager;
  objects: ObjectStore;
  buffers: PartBuffers;
  /** Reports errors that do not affect the response. */
  onError: (error: unknown, what: string) => void;
  /** MAX_STREAMED_BYTES if absent. */
  maxBytes?: number;
  /** The only accepted medium, if there is one. */
  mediaType?: MediaType;
  /** Also accepts media that clients may only upload directly. */
  anyMedium?: boolean;
}

/** A file part whose bytes are stored, under the id and the key that its file will have. */
export interface StoredPart extends StoredUpload {
  fileId: string;
  objectKey: string;
  filename: string;
}

/**
 * Stores one file of a request. Its object is claimed: the caller accepts or discards it.
 *
 * @throws the errors of storeBytes
 */
export async function storePart(
  deps: StorePartDeps,
  { filename, contentType, place, stream }: IncomingPart,
): Promise<StoredPart> {
  const fileId = randomUUID();
  const objectKey = originalKey(place, fileId, randomBytes(6).toString('hex'));
  const stored = await storeBytes(deps, stream, objectKey, { filename, contentType });
  return { fileId, objectKey, filename, ...stored };
}

/**
 * Stores the bytes of a stream under a key claimed beforehand, so that leftovers of a dead process are found. The
 * stream is always read to its end, even for a rejected file: the next part follows in the same body.
 *
 * @param declared name and type from the client, or the type itself if known
 * @throws AppError EMPTY_FILE, UNSUPPORTED_MEDIA, FILE_TOO_LARGE, CLIENT_GONE; the error of database or store
 */
export async function storeBytes(
  { em, objects, buffers, onError, maxBytes = MAX_STREAMED_BYTES, mediaType, anyMedium }: StorePartDeps,
  stream: Readable,
  key: string,
  declared: Declared | { type: string },
): Promise<StoredUpload> {
  await claimObject(em.fork(), key);
  let leftover = false;
  const onLeftover = (error: unknown) => {
    leftover = true;
    onError(error, `a rejected upload could not be removed yet: ${key}`);
  };
  const sink = createUploadSink({
    objects,
    buffers,
    async detect(head) {
      const type = 'type' in declared ? declared.type : await sniffContentType(head, declared);
      if (mediaType) acceptedContent(type, mediaType);
      return type;
    },
    anyMedium,
    key,
    maxBytes,
    onLeftover,
  });
  const stored = await fillSink(sink, stream).catch(async (error: unknown) => {
    if (!leftover) await releaseClaim(em.fork(), key).catch(() => undefined);
    throw error;
  });
  // If only images are accepted, the first page is one.
  return mediaType ? stored : { ...stored, ...(await contentOfObject(objects, key, stored)) };
}
