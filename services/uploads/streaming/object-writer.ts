import type {
  MultipartUpload,
  ObjectStore,
  UploadedPart,
} from '../../../adapters/object-store/object-store.ts';
import type { PartBuffer, PartBuffers } from './part-buffers.ts';

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
  const first = buffers.take();
  let second: PartBuffer | undefined;
  let filling = first.bytes;
  let filled = 0;
  const parts: UploadedPart[] = [];
  let travelling = Promise.resolve();
  let upload: MultipartUpload | undefined;
  /** What the store may hold, as far as we know. */
  const mayHold = { parts: false, object: false };
  let released = false;

  /** Sends what is filled, once the part before has arrived. */
  async function send(): Promise<void> {
    await travelling;
    mayHold.parts = true;
    upload ??= await objects.initiateMultipart(key, { contentType });
    travelling = objects.uploadPart(upload, parts.length + 1, filling.subarray(0, filled)).then((part) => {
      parts.push(part);
    });
    // Awaited before the next part, at the end and in `undo`; until then its failure is not an unhandled one.
    travelling.catch(() => undefined);
  }

  /** Goes on in the other buffer; without one, when the part has arrived. */
  async function turn(): Promise<void> {
    second ??= buffers.takeSecond();
    if (second) filling = filling === first.bytes ? second.bytes : first.bytes;
    else await travelling;
    filled = 0;
  }

  function release(reusable: boolean): void {
    if (released) return;
    released = true;
    first.release(reusable);
    second?.release(reusable);
  }

  return {
    async write(bytes) {
      for (let from = 0; from < bytes.length;) {
        if (filled === filling.length) {
          await send();
          await turn();
        }
        const copied = bytes.copy(filling, filled, from);
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
        await objects.put(key, filling.subarray(0, filled), { contentType });
      }
      release(true);
    },

    async undo() {
      // A part that arrives after the abort would stay.
      await Promise.allSettled([travelling]);
      // A connection that broke may still be reading from them.
      release(false);
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
