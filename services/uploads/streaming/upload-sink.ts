import { createHash } from 'node:crypto';
import { Writable, type Readable } from 'node:stream';
import { callbackify } from 'node:util';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import { MAGIC_BYTES } from '../../../domain/media.ts';
import { AppError } from '../../../domain/app-error.ts';
import { acceptedContent, streamedContent, type AcceptedContent } from '../accepted-content.ts';
import { createObjectWriter, type ObjectWriter } from './object-writer.ts';
import type { PartBuffers } from './part-buffers.ts';

export interface UploadSinkOptions {
  objects: ObjectStore;
  buffers: PartBuffers;
  /** Detects the content type from the first MAGIC_BYTES of a file; undefined if unknown. */
  detect: (head: Uint8Array) => Promise<string | undefined>;
  /** Also accepts media that clients may only upload directly; for bytes that pass through no request. */
  anyMedium?: boolean | undefined;
  /** A new key, never used before. */
  key: string;
  maxBytes: number;
  /** Called when the store could not be cleaned after a failure, so that the key is logged. */
  onLeftover: (error: unknown, key: string) => void;
}

export interface StoredUpload extends AcceptedContent {
  sizeBytes: number;
  /** Hexadecimal. */
  sha256: string;
}

export interface UploadSink {
  /**
   * Receives the file's bytes. Its `finish` means that the object is stored; destroying it earlier undoes everything.
   */
  writable: Writable;
  /**
   * Resolves to what was stored. Once it rejects, nothing of the upload is left in the store.
   *
   * AppErrors: EMPTY_FILE, UNSUPPORTED_MEDIA, FILE_TOO_LARGE, and CLIENT_GONE when `writable` was destroyed without an
   * error. Otherwise the error of the store.
   */
  result: Promise<StoredUpload>;
}

/**
 * Streams one file into the object store: type by leading bytes before anything is stored, then SHA-256 and parts, with
 * backpressure, at most UPLOAD_BUFFER_BYTES in memory and no temporary file.
 */
export function createUploadSink(options: UploadSinkOptions): UploadSink {
  const { objects, buffers, detect, anyMedium = false, key, maxBytes, onLeftover } = options;
  const hash = createHash('sha256');
  const stored = Promise.withResolvers<StoredUpload>();
  let head = Buffer.alloc(0);
  let sizeBytes = 0;
  let content: AcceptedContent | undefined;
  let writer: ObjectWriter | undefined;
  /** The current operation of the stream; cleanup of a destroyed stream waits for it. */
  let operation = Promise.resolve();

  async function accept(chunk: Buffer): Promise<void> {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes)
      throw new AppError('FILE_TOO_LARGE', `the file is larger than ${maxBytes} bytes`);
    hash.update(chunk);
    if (writer) return writer.write(chunk);
    head = Buffer.concat([head, chunk]);
    if (head.length >= MAGIC_BYTES) await beginWriting();
  }

  async function beginWriting(): Promise<void> {
    const accept = anyMedium ? acceptedContent : streamedContent;
    content = accept(await detect(head.subarray(0, MAGIC_BYTES)));
    writer = createObjectWriter({ objects, buffers, key, contentType: content.contentType });
    await writer.write(head);
  }

  async function finish(): Promise<void> {
    if (sizeBytes === 0) throw new AppError('EMPTY_FILE', 'the file is empty');
    if (!writer) await beginWriting();
    await writer?.finish();
  }

  async function settle(failure: Error | null): Promise<void> {
    if (writable.writableFinished && content) {
      stored.resolve({ sizeBytes, sha256: hash.digest('hex'), ...content });
      return;
    }
    await Promise.allSettled([operation]);
    await writer?.undo().catch((leftover: unknown) => onLeftover(leftover, key));
    stored.reject(
      failure ?? new AppError('CLIENT_GONE', 'the client disconnected before the file was complete'),
    );
    if (failure) throw failure;
  }

  const writable = new Writable({
    write: (chunk: Buffer, _encoding, done) => callbackify(() => (operation = accept(chunk)))(done),
    final: (done) => callbackify(() => (operation = finish()))(done),
    destroy: (error, done) => callbackify(settle)(error, done),
  });
  // Failures are reported by `result`; an unobserved stream or promise must not crash the process.
  writable.on('error', () => undefined);
  stored.promise.catch(() => undefined);

  return {
    writable,
    result: stored.promise,
  };
}

/**
 * Pipes a file part into a sink. A part that breaks off fails the sink with its own error; one that the sink rejects is
 * read to its end, because the next part follows in the same body.
 *
 * @throws what `result` rejects with
 */
export async function fillSink({ writable, result }: UploadSink, stream: Readable): Promise<StoredUpload> {
  const onClose = () => {
    if (!stream.readableEnded) writable.destroy(stream.errored ?? undefined);
  };
  // Not on `error`: only on `close` has the form reader replaced the parser's error with its own.
  stream.once('close', onClose);
  if (stream.destroyed) onClose();
  stream.pipe(writable);
  try {
    return await result;
  } catch (error) {
    stream.unpipe();
    stream.resume();
    throw error;
  }
}
