import type {
  MultipartUpload,
  ObjectStore,
  UploadedPart,
} from '../../../adapters/object-store/object-store.ts';
import type { PartBuffer, PartBuffers } from './part-buffers.ts';

export interface ObjectWriterOptions {
  objects: ObjectStore;
  buffers: PartBuffers;
  /** Never used before: everything found under it later is assumed to be this writer's. */
  key: string;
  contentType: string;
}

/** Writes one object of unknown length. Its calls must not overlap. */
export interface ObjectWriter {
  /** Resolves when the bytes are buffered, which may have to wait for the store. */
  write(bytes: Buffer): Promise<void>;
  /** Resolves when the object is complete. */
  finish(): Promise<void>;
  /** Removes the object and all parts, at whatever point the writing failed or ended. */
  undo(): Promise<void>;
}

/**
 * Up to one part is a single PUT of known length; more is a multipart upload, in which one part fills while the
 * previous one is sent. Nothing reaches the store before the second part begins or the object ends.
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
  let inFlight = Promise.resolve();
  let upload: MultipartUpload | undefined;
  /** What the store may contain, as far as we know. */
  const mayExist = { parts: false, object: false };
  let released = false;

  /** Sends the filled buffer, once the previous part has been stored. */
  async function send(): Promise<void> {
    await inFlight;
    mayExist.parts = true;
    upload ??= await objects.initiateMultipart(key, { contentType });
    inFlight = objects.uploadPart(upload, parts.length + 1, filling.subarray(0, filled)).then((part) => {
      parts.push(part);
    });
    // Awaited before the next part, at the end and in `undo`; until then a failure must not count as unhandled.
    inFlight.catch(() => undefined);
  }

  /** Switches to the other buffer; without one, waits until the part is stored. */
  async function switchBuffer(): Promise<void> {
    second ??= buffers.takeSecond();
    if (second) filling = filling === first.bytes ? second.bytes : first.bytes;
    else await inFlight;
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
          await switchBuffer();
        }
        const copied = bytes.copy(filling, filled, from);
        filled += copied;
        from += copied;
      }
    },

    async finish() {
      if (upload) {
        await send();
        await inFlight;
        mayExist.object = true;
        await objects.completeMultipart(upload, parts);
        mayExist.parts = false;
      } else {
        mayExist.object = true;
        await objects.put(key, filling.subarray(0, filled), { contentType });
      }
      release(true);
    },

    async undo() {
      // A part that is stored after the abort would remain.
      await Promise.allSettled([inFlight]);
      // A broken connection may still be reading from the buffers.
      release(false);
      try {
        if (mayExist.parts) await abort(objects, key, upload);
      } finally {
        if (mayExist.object) await objects.remove([key]);
      }
    },
  };
}

/** If the upload id never reached us, every open upload under the key is ours. */
async function abort(objects: ObjectStore, key: string, upload: MultipartUpload | undefined): Promise<void> {
  if (upload) return objects.abortMultipart(upload);
  for await (const found of objects.listIncompleteUploads(key)) await objects.abortMultipart(found);
}
