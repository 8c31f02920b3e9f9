import type { MultipartUpload, ObjectStore, UploadedPart } from '../adapters/object-store/object-store.ts';
import type { PartBuffers } from './part-buffers.ts';

export interface ObjectWriterOptions {
  objects: ObjectStore;
  buffers: PartBuffers;
  /** Never used before: all that is found under it later is taken to be this writer's. */
  key: string;
  contentType: string;
}

/** Writes one object of unknown length. Its calls must not overlap. */
export interface ObjectWriter {
  /** Resolves when the bytes were taken over, which may have to wait for the store. */
  write(bytes: Buffer): Promise<void>;
  /** Resolves when the object is whole. */
  finish(): Promise<void>;
  /** Leaves no object and no part behind, at whatever point the writing failed or ended. */
  undo(): Promise<void>;
}

/**
 * Up to one part is one PUT of known length; more is a multipart upload, in which one part fills while the one before
 * travels. Nothing reaches the store before the second part begins or the object ends.
 */
export function createObjectWriter({
  objects,
  buffers,
  key,
  contentType,
}: ObjectWriterOptions): ObjectWriter {
  const pair = [buffers.take()];
  const parts: UploadedPart[] = [];
  let sent = 0;
  let filled = 0;
  let travelling = Promise.resolve();
  let upload: MultipartUpload | undefined;
  /** What the store may hold, as far as we know. */
  const mayHold = { parts: false, object: false };

  /** The part being filled; the other one of the pair travels or is free. */
  const filling = () => (pair[sent % 2] ??= buffers.take());

  async function send(): Promise<void> {
    await travelling;
    mayHold.parts = true;
    upload ??= await objects.initiateMultipart(key, { contentType });
    travelling = objects.uploadPart(upload, sent + 1, filling().subarray(0, filled)).then((part) => {
      parts.push(part);
    });
    // Awaited before the next part, at the end and in `undo`; until then its failure is not an unhandled one.
    travelling.catch(() => undefined);
    sent += 1;
    filled = 0;
  }

  return {
    async write(bytes) {
      for (let from = 0; from < bytes.length;) {
        if (filled === filling().length) await send();
        const copied = bytes.copy(filling(), filled, from);
        filled += copied;
        from += copied;
      }
    },

    async finish() {
      if (upload) {
        await send();
        await travelling;
        mayHold.object = true;
        await objects.completeMultipart(upload, parts);
        mayHold.parts = false;
      } else {
        mayHold.object = true;
        await objects.put(key, filling().subarray(0, filled), { contentType });
      }
      // Only here: after a failure a socket may still be reading from them.
      for (const buffer of pair) buffers.give(buffer);
    },

    async undo() {
      // A part that arrives after the abort would stay.
      await Promise.allSettled([travelling]);
      try {
        if (mayHold.parts) await abort(objects, key, upload);
      } finally {
        if (mayHold.object) await objects.remove([key]);
      }
    },
  };
}

/** The id of an upload may never have reached us: then all that is open under the key is ours. */
async function abort(objects: ObjectStore, key: string, upload: MultipartUpload | undefined): Promise<void> {
  if (upload) return objects.abortMultipart(upload);
  for await (const found of objects.listIncompleteUploads(key)) await objects.abortMultipart(found);
}
