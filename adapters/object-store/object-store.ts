import type { Readable } from 'node:stream';

/** There is no object under this key. Not retryable. */
export class ObjectNotFound extends Error {
  override readonly name = 'ObjectNotFound';
  readonly key: string;

  constructor(key: string) {
    super(`no object at ${key}`);
    this.key = key;
  }
}

/** The object is larger than the limit that the reader set for memory. */
export class ObjectTooLarge extends Error {
  override readonly name = 'ObjectTooLarge';
  readonly key: string;

  constructor(key: string, maxBytes: number) {
    super(`${key} is larger than ${maxBytes} bytes`);
    this.key = key;
  }
}

/** The store failed: down, slow, or one of the reasons below. Retryable; `cause` has the reason. */
export class ObjectStoreUnavailable extends Error {
  override readonly name: string = 'ObjectStoreUnavailable';
}

/** The store answers but rejects the request: wrong credentials, permissions or bucket. An operator may fix it. */
export class ObjectStoreRefused extends ObjectStoreUnavailable {
  override readonly name = 'ObjectStoreRefused';
  /** The S3 error code, such as `AccessDenied`. */
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The store has no room for the write. Reads still work. */
export class ObjectStoreFull extends ObjectStoreUnavailable {
  override readonly name = 'ObjectStoreFull';
}

/** The store does not copy parts of objects. Not retryable. */
export class PartCopyUnsupported extends Error {
  override readonly name = 'PartCopyUnsupported';
}

/**
 * One bucket of an S3-compatible store. Every call ends in bounded time, or as soon as its signal fires.
 *
 * All methods throw ObjectStoreUnavailable when the store cannot be reached, ObjectStoreRefused when it rejects the
 * request, and ObjectStoreFull when it has no room; an aborted call throws the signal's reason.
 */
export interface ObjectStore {
  /** Name of the bucket that holds an object, for clients that receive a presigned URL. */
  bucketOf(key: string): Promise<string>;
  /** Creates the bucket if it does not exist. */
  ensureBucket(): Promise<void>;
  /** Resolves if the store answers within two seconds and has the bucket. */
  ready(): Promise<void>;
  /** False when its disk is known to be full: writes fail with ObjectStoreFull, reads work. */
  hasRoom(): Promise<boolean>;

  /** Stores a whole object, replacing an existing one. `bytes` may be reused once this resolves. */
  put(key: string, bytes: Uint8Array, options: { contentType: string } & Cancellable): Promise<void>;

  /** Starts a multipart upload; until it is completed or aborted, its parts take space and no object exists. */
  initiateMultipart(key: string, options: { contentType: string }): Promise<MultipartUpload>;
  /** Parts are numbered from 1; all but the last have at least 5 MiB. Uploading a number again replaces that part. */
  uploadPart(
    upload: MultipartUpload,
    number: number,
    bytes: Uint8Array,
    options?: Cancellable,
  ): Promise<UploadedPart>;
  /**
   * Copies a range of an object, inside the store, as a part of an upload. Throws ObjectNotFound, PartCopyUnsupported.
   */
  copyPart(
    from: string,
    range: ByteRange,
    upload: MultipartUpload,
    number: number,
    options?: Cancellable,
  ): Promise<UploadedPart>;
  /** Assembles the object from its parts, in the order given. */
  completeMultipart(upload: MultipartUpload, parts: readonly UploadedPart[]): Promise<void>;
  /**
   * The parts that have arrived, by number; undefined when the upload is unknown, completed or aborted.
   *
   * @param after a number: only a page of those with higher numbers, at most a thousand. By default all
   */
  listParts(upload: MultipartUpload, after?: number): Promise<StoredPart[] | undefined>;
  /** Deletes the parts. An upload that is unknown, completed or already aborted is not an error. */
  abortMultipart(upload: MultipartUpload): Promise<void>;

  /** The object's bytes as they arrive. Read or destroy the stream. Throws ObjectNotFound. */
  open(key: string, options?: Cancellable): Promise<Readable>;
  /** The whole object in memory, or a range of it. Throws ObjectNotFound, ObjectTooLarge. */
  read(key: string, options: { maxBytes: number; range?: ByteRange } & Cancellable): Promise<Buffer>;
  /** At most the first `bytes` of an object. Throws ObjectNotFound. */
  readStart(key: string, bytes: number, options?: Cancellable): Promise<Buffer>;
  stat(key: string, options?: Cancellable): Promise<ObjectStat | undefined>;
  /** Copies an object of up to 5 GB inside the store, replacing an existing one. Throws ObjectNotFound. */
  copy(from: string, to: string, options: { contentType: string } & Cancellable): Promise<void>;
  /** Keys without an object are not an error. */
  remove(keys: readonly string[]): Promise<void>;

  /** All objects whose key begins with the prefix, in key order. */
  list(prefix: string): AsyncIterable<ListedObject>;
  /** All multipart uploads that were neither completed nor aborted. */
  listIncompleteUploads(prefix: string): AsyncIterable<IncompleteUpload>;

  /** A URL on the public endpoint with which anyone may fetch the object until it expires. Makes no request. */
  presignGet(key: string, options: PresignGetOptions): Promise<string>;
  /**
   * A URL on the public endpoint with which anyone may store exactly the bytes described, until it expires: size, type
   * and checksum are signed, so the store refuses others. Without a checksum, any bytes of that size and type. Makes
   * no request.
   */
  presignPut(key: string, options: PresignPutOptions): Promise<PresignedPut>;
  /** URLs for parts of these numbers and sizes, in their order. Makes no request. */
  presignParts(
    upload: MultipartUpload,
    parts: readonly { number: number; sizeBytes: number }[],
    options: Lifetime,
  ): Promise<string[]>;
}

export interface Cancellable {
  signal?: AbortSignal | undefined;
}

export interface MultipartUpload {
  key: string;
  uploadId: string;
}

/** Both ends are included. */
export interface ByteRange {
  first: number;
  last: number;
}

export interface UploadedPart {
  number: number;
  etag: string;
}

export interface StoredPart extends UploadedPart {
  sizeBytes: number;
}

interface IncompleteUpload extends MultipartUpload {
  initiatedAt: Date;
}

interface ObjectStat {
  sizeBytes: number;
  contentType: string;
  /** Without quotes. */
  etag: string;
  /** Hexadecimal; only if the store itself verified the whole object against it. */
  sha256?: string;
}

interface ListedObject {
  key: string;
  sizeBytes: number;
  lastModified: Date;
}

interface PresignGetOptions {
  /** From 1 second to 7 days. */
  expiresInSeconds: number;
  /** File name for downloads; any text is safe. */
  filename?: string;
  /** Defaults to `attachment`, so that client content is not rendered inside a page by default. */
  disposition?: 'attachment' | 'inline';
  /** Replaces the stored content type in the answer. */
  contentType?: string;
}

interface Lifetime {
  /** From 1 second to 7 days, from `signedAt` on. */
  expiresInSeconds: number;
  /** Now by default. For the same time and request, the URL is the same. */
  signedAt?: Date | undefined;
}

interface PresignPutOptions extends Lifetime {
  contentType: string;
  sizeBytes: number;
  /** Hexadecimal. */
  sha256?: string | undefined;
}

interface PresignedPut {
  url: string;
  /** Must be sent unchanged with the bytes. `Content-Length` is signed as well; every HTTP client sends it. */
  headers: Record<string, string>;
}
