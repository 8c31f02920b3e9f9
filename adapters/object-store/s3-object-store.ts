import http from 'node:http';
import https from 'node:https';
import { PassThrough, pipeline, type Readable } from 'node:stream';
import { traced } from '../../domain/tracing.ts';
import type { S3Config } from './config.ts';
import { COPIED_WITHIN_MS, createCopyPart } from './copy-part.ts';
import {
  ObjectStoreRefused,
  ObjectStoreUnavailable,
  ObjectTooLarge,
  type ByteRange,
  type Cancellable,
  type ObjectStore,
} from './object-store.ts';
import { createMinioClient } from './minio-client.ts';
import { createPresignGet, createPresignParts, createPresignPut } from './presign.ts';
import { createS3Request, copySource } from './s3-request.ts';
import { createFullDiskCheck } from './full-disk-check.ts';
import { discardBody, readErrorCode, storeError, toStoreError } from './s3-response.ts';

/** The maximum number of keys in one delete request. */
const KEYS_PER_DELETE = 1000;
/** Load balancers probe often and with short timeouts. */
const READY_WITHIN_MS = 2000;
/** Shorter than the idle timeout of common servers, so that no request is sent on a socket they just closed. */
const IDLE_SOCKET_MS = 15_000;
export const AGENT_OPTIONS = { keepAlive: true, maxSockets: 256, timeout: IDLE_SOCKET_MS } as const;

/** How to reach a store with an address chosen by a tenant. */
interface S3Options {
  /** Opens the connections; unrestricted by default. */
  agent?: http.Agent;
  /** Limit for the answer to a call, over all attempts; a minute by default. */
  answerWithinMs?: number;
}

/**
 * The object store behind an S3 endpoint. Opening it makes no request.
 *
 * Bytes go through plain signed requests: minio would hash each part once more and cannot be cancelled. Calls with XML
 * bodies go through minio.
 */
export function createS3ObjectStore(config: S3Config, options: S3Options = {}): ObjectStore {
  const { S3_BUCKET: bucket } = config;
  const secure = config.S3_ENDPOINT.startsWith('https:');
  const agent = options.agent ?? new (secure ? https : http).Agent(AGENT_OPTIONS);
  const request = createS3Request(config, agent, options.answerWithinMs);
  const minio = createMinioClient(config, agent, options.answerWithinMs);
  const disk = createFullDiskCheck(config.S3_DATA_FOLDER);

  return {
    bucketOf: () => Promise.resolve(bucket),

    async ensureBucket() {
      await translated('ensure bucket', async () => {
        if (await minio.bucketExists(bucket)) return;
        await minio.makeBucket(bucket, config.S3_REGION).catch((error: unknown) => {
          // Another process created it first.
          if (codeOf(error) !== 'BucketAlreadyOwnedByYou') throw error;
        });
      });
    },

    async ready() {
      const response = await request({ method: 'HEAD', answerWithinMs: READY_WITHIN_MS, attempts: 1 });
      const { statusCode } = response;
      if (statusCode === 404) throw new ObjectStoreRefused('NoSuchBucket', `there is no bucket ${bucket}`);
      if (statusCode !== 200) throw await toStoreError(response, 'HEAD bucket', bucket);
      await discardBody(response);
    },

    hasRoom: disk.hasRoom,

    async put(key, bytes, { contentType, signal }) {
      const headers = { 'content-type': contentType };
      const response = await request({ method: 'PUT', key, headers, body: bytes, signal });
      if (response.statusCode !== 200)
        throw await disk.toWriteError(await toStoreError(response, 'PUT', key));
      await discardBody(response);
    },

    async initiateMultipart(key, { contentType }) {
      const headers = { 'content-type': contentType };
      const uploadId = await disk.checked(() =>
        translated(`initiate ${key}`, () => minio.initiateNewMultipartUpload(bucket, key, headers)),
      );
      return { key, uploadId };
    },

    async uploadPart({ key, uploadId }, number, bytes, { signal } = {}) {
      const query = { partNumber: String(number), uploadId };
      const response = await request({ method: 'PUT', key, query, body: bytes, signal });
      const { etag } = response.headers;
      if (response.statusCode !== 200 || etag === undefined)
        throw await disk.toWriteError(await toStoreError(response, 'PUT part of', key));
      await discardBody(response);
      return { number, etag };
    },

    copyPart: createCopyPart(config, request),

    async completeMultipart({ key, uploadId }, parts) {
      const etags = parts.map(({ number, etag }) => ({ part: number, etag }));
      await disk.checked(() =>
        translated(`complete ${key}`, () => minio.completeMultipartUpload(bucket, key, uploadId, etags)),
      );
    },

    async listParts({ key, uploadId }, after) {
      try {
        const parts = await minio.partsOf(bucket, key, uploadId, after);
        return parts.map(({ part, etag, size }) => ({ number: part, etag: unquoted(etag), sizeBytes: size }));
      } catch (cause) {
        if (codeOf(cause) === 'NoSuchUpload') return undefined;
        const code = codeOf(cause);
        throw storeError(code ?? '', `list parts of ${key}: ${code ?? String(cause)}`, { cause });
      }
    },

    async abortMultipart({ key, uploadId }) {
      const response = await request({ method: 'DELETE', key, query: { uploadId } });
      if (response.statusCode !== 204 && response.statusCode !== 404)
        throw await toStoreError(response, 'ABORT', key);
      await discardBody(response);
    },

    open: (key, options) => open(key, options),

    async read(key, { maxBytes, range, signal }) {
      const chunks: Buffer[] = [];
      let size = 0;
      for await (const chunk of await open(key, { signal }, range)) {
        chunks.push(chunk);
        size += chunk.length;
        if (size > maxBytes) throw new ObjectTooLarge(key, maxBytes);
      }
      return Buffer.concat(chunks, size);
    },

    async readStart(key, bytes, { signal } = {}) {
      const headers = { range: `bytes=0-${bytes - 1}` };
      const response = await request({ method: 'GET', key, headers, signal });
      // An empty object has no satisfiable range, and some stores answer a range with the whole object.
      if (response.statusCode === 416) {
        await discardBody(response);
        return Buffer.alloc(0);
      }
      if (response.statusCode !== 206 && response.statusCode !== 200)
        throw await toStoreError(response, 'GET', key);
      const chunks: Buffer[] = [];
      let size = 0;
      try {
        for await (const chunk of response as AsyncIterable<Buffer>) {
          chunks.push(chunk);
          size += chunk.length;
          if (size >= bytes) break;
        }
      } catch (cause) {
        throw brokenOff(key, cause as Error, signal);
      }
      return Buffer.concat(chunks).subarray(0, bytes);
    },

    async copy(from, to, { contentType, signal }) {
      const headers = {
        'x-amz-copy-source': copySource(config, from),
        'x-amz-metadata-directive': 'REPLACE',
        'content-type': contentType,
      };
      const response = await request({
        method: 'PUT',
        key: to,
        headers,
        signal,
        answerWithinMs: COPIED_WITHIN_MS,
      });
      if (response.statusCode !== 200) throw await toStoreError(response, 'COPY to', to, from);
      // A long copy is answered 200 before it has finished, and may still fail.
      const code = await readErrorCode(response);
      if (code !== '') throw new ObjectStoreUnavailable(`COPY to ${to}: ${code}`);
    },

    async stat(key, { signal } = {}) {
      const headers = { 'x-amz-checksum-mode': 'ENABLED' };
      const response = await request({ method: 'HEAD', key, headers, signal });
      if (response.statusCode === 404) return discardBody(response);
      if (response.statusCode !== 200) throw await toStoreError(response, 'HEAD', key);
      await discardBody(response);
      const { 'content-length': sizeBytes, 'content-type': contentType = '', etag = '' } = response.headers;
      const sha256 = wholeSha256(response.headers['x-amz-checksum-sha256']);
      return {
        sizeBytes: Number(sizeBytes),
        contentType,
        etag: unquoted(etag),
        ...(sha256 !== undefined && { sha256 }),
      };
    },

    async remove(keys) {
      for (let from = 0; from < keys.length; from += KEYS_PER_DELETE) {
        const failures = await translated('delete', () =>
          minio.removeObjects(bucket, keys.slice(from, from + KEYS_PER_DELETE)),
        );
        const [first] = failures;
        if (first)
          throw new ObjectStoreUnavailable(`delete: ${failures.length} keys refused`, { cause: first });
      }
    },

    async *list(prefix) {
      let token = '';
      do {
        const page = await translated(`list ${prefix}`, () =>
          minio.listObjectsV2Query(bucket, prefix, token, '', 1000, ''),
        );
        for (const { name, size, lastModified } of page.objects) {
          if (name !== undefined && lastModified) yield { key: name, sizeBytes: size, lastModified };
        }
        token = page.isTruncated ? page.nextContinuationToken : '';
      } while (token !== '');
    },

    // Listed page by page, since minio's own listing also requests the parts of every upload.
    async *listIncompleteUploads(prefix) {
      let after = '';
      do {
        const page = await translated(`list uploads ${prefix}`, () =>
          minio.listIncompleteUploadsQuery(bucket, prefix, after, '', ''),
        );
        for (const { key, uploadId, initiated } of page.uploads)
          yield { key, uploadId, initiatedAt: initiated };
        after = page.isTruncated ? page.nextKeyMarker : '';
      } while (after !== '');
    },

    presignGet: createPresignGet(config),
    presignPut: createPresignPut(config),
    presignParts: createPresignParts(config),
  };

  /** Errors of the stream are mapped to the store's errors; destroying it frees the connection. */
  async function open(key: string, { signal }: Cancellable = {}, range?: ByteRange): Promise<Readable> {
    const headers = range && { range: `bytes=${range.first}-${range.last}` };
    const response = await request({ method: 'GET', key, signal, ...(headers && { headers }) });
    if (response.statusCode !== (range ? 206 : 200)) throw await toStoreError(response, 'GET', key);
    const body = new PassThrough({
      destroy: (error, done) => done(response.errored ? brokenOff(key, response.errored, signal) : error),
    });
    pipeline(response, body, () => undefined);
    return body;
  }
}

function brokenOff(key: string, cause: Error, signal: AbortSignal | undefined): Error {
  if (signal?.reason instanceof Error) return signal.reason;
  return new ObjectStoreUnavailable(`GET ${key} broke off`, { cause });
}

async function translated<T>(what: string, call: () => Promise<T>): Promise<T> {
  try {
    // The first word is the operation; a key may follow.
    return await traced(() => `s3 ${what.split(' ', 1)[0]}`, call);
  } catch (cause) {
    const code = codeOf(cause);
    throw storeError(code ?? '', `${what}: ${code ?? String(cause)}`, { cause });
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

function unquoted(etag: string): string {
  return etag.replaceAll('"', '');
}

/** For a multipart object, stores return the checksum of the parts' checksums, with `-` and their number appended. */
function wholeSha256(header: string | string[] | undefined): string | undefined {
  const whole = typeof header === 'string' && /^[A-Za-z0-9+/]{43}=$/.test(header);
  return whole ? Buffer.from(header, 'base64').toString('hex') : undefined;
}
