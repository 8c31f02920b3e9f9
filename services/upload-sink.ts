import { createHash } from 'node:crypto';
import { Writable } from 'node:stream';
import type { MultipartUpload, ObjectStore } from '../adapters/object-store/object-store.ts';
import { MAGIC_BYTES } from '../domain/media.ts';
import { Refusal } from '../domain/refusal.ts';
import { detectContent } from './detect-content.ts';
import type { DetectedContent } from './detect-content.ts';
import { PART_BYTES } from './part-buffers.ts';
import type { PartBuffers } from './part-buffers.ts';

export interface UploadSinkOptions {
  objects: ObjectStore;
  buffers: PartBuffers;
  key: string;
  maxBytes: number;
}

/** An object that is wholly in the store. */
export interface StoredObject extends DetectedContent {
  key: string;
  sizeBytes: number;
  /** Hex. */
  sha256: string;
}

/**
 * Takes a client's bytes to the object store as they come: no temporary file, at most two parts in memory, one that
 * fills while the other is sent. The leading bytes decide what it is before the store sees any. When the stream fails
 * or is destroyed, nothing stays behind.
 *
 * Errors with which the stream is destroyed: Refusal EMPTY_FILE, UNSUPPORTED_MEDIA, FILE_TOO_LARGE, and
 * ObjectStoreUnavailable.
 */
export class UploadSink extends Writable {
  /** Settles when the object is stored, or when everything of it is removed again. */
  readonly result: Promise<StoredObject>;
  readonly #options: UploadSinkOptions;
  readonly #hash = createHash('sha256');
  readonly #abort = new AbortController();
  readonly #settled = Promise.withResolvers<StoredObject>();
  #filling: Buffer;
  #filled = 0;
  #size = 0;
  #parts = 0;
  #content: DetectedContent | undefined;
  #multipart: MultipartUpload | undefined;
  #finishing: Promise<StoredObject> | undefined;
  /** The part that is being sent, if any. */
  #sending: Promise<void> = Promise.resolve();

  constructor(options: UploadSinkOptions) {
    super({ highWaterMark: 64 * 1024 });
    this.#options = options;
    this.#filling = options.buffers.take();
    this.result = this.#settled.promise;
    // Whoever waits for the result sees the error; without anybody waiting it must not end the process.
    this.result.catch(() => undefined);
    this.on('error', () => undefined);
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#take(chunk).then(() => done(), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#finishing = this.#finish();
    this.#finishing.then(() => done(), done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#close(error).then(() => done(error), done);
  }

  async #take(chunk: Buffer): Promise<void> {
    this.#size += chunk.length;
    if (this.#size > this.#options.maxBytes) {
      const megabytes = Math.floor(this.#options.maxBytes / 1024 / 1024);
      throw new Refusal('FILE_TOO_LARGE', `a streamed file may have ${megabytes} MB at most`);
    }
    this.#hash.update(chunk);
    for (let offset = 0; offset < chunk.length;) {
      const copied = chunk.copy(this.#filling, this.#filled, offset);
      offset += copied;
      this.#filled += copied;
      if (!this.#content && this.#filled >= MAGIC_BYTES) await this.#detect();
      if (this.#filled === PART_BYTES) await this.#sendPart();
    }
  }

  async #finish(): Promise<StoredObject> {
    const { objects, key } = this.#options;
    if (this.#size === 0) throw new Refusal('EMPTY_FILE', 'the file is empty');
    const content = this.#content ?? (await this.#detect());
    if (this.#multipart) {
      if (this.#filled > 0) await this.#sendPart();
      await this.#sending;
      await this.#multipart.complete();
    } else {
      await objects.put(key, this.#filling.subarray(0, this.#filled), { contentType: content.contentType });
    }
    return { key, sizeBytes: this.#size, sha256: this.#hash.digest('hex'), ...content };
  }

  async #detect(): Promise<DetectedContent> {
    this.#content = await detectContent(this.#filling.subarray(0, Math.min(this.#filled, MAGIC_BYTES)));
    return this.#content;
  }

  /** Sends the full buffer and goes on with another, once the part before it is through. */
  async #sendPart(): Promise<void> {
    const { objects, buffers, key } = this.#options;
    const content = this.#content ?? (await this.#detect());
    this.#multipart ??= await objects.startMultipart(key, { contentType: content.contentType });
    await this.#sending;
    const full = this.#filling;
    const bytes = full.subarray(0, this.#filled);
    this.#filling = buffers.take();
    this.#filled = 0;
    this.#parts += 1;
    this.#sending = this.#multipart
      .uploadPart(this.#parts, bytes, this.#abort.signal)
      .finally(() => buffers.give(full));
    this.#sending.catch(() => undefined);
  }

  /** Runs once, at the end of every stream, good or bad. */
  async #close(error: Error | null): Promise<void> {
    const { objects, buffers, key } = this.#options;
    if (error) this.#abort.abort();
    // The buffer may be on its way to the store until this has settled.
    const stored = await this.#finishing?.catch(() => undefined);
    if (stored && !error) {
      this.#settled.resolve(stored);
    } else {
      await this.#sending.catch(() => undefined);
      await this.#multipart?.abort().catch(() => undefined);
      // A PUT that failed on our side may have reached the store all the same.
      if (this.#finishing) await objects.remove([key]).catch(() => undefined);
      this.#settled.reject(
        error ?? new Refusal('CLIENT_GONE', 'the client went away before the file was complete'),
      );
    }
    buffers.give(this.#filling);
  }
}
