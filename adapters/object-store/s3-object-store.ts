import { Client } from 'minio';
import type { Readable } from 'node:stream';
import type { S3Config } from './config.ts';
import { contentDisposition } from './content-disposition.ts';
import { ObjectNotFound, ObjectStoreUnavailable, ObjectTooLarge, storeError } from './errors.ts';
import type { MultipartUpload, ObjectStore } from './object-store.ts';
import { createAgents, putBytes } from './put-bytes.ts';

const CALL_DEADLINE_MS = 10_000;
const READY_DEADLINE_MS = 2000;
const READ_DEADLINE_MS = 60_000;
/** A presigned PUT is used at once. */
const WRITE_URL_SECONDS = 900;
const MAX_SOCKETS = 128;

/**
 * Any S3 store, by minio's client. Bytes go by presigned PUTs of known length instead of its putObject, which buffers
 * parts of its own and hashes every part again to sign it.
 */
export function createS3ObjectStore(config: S3Config): ObjectStore {
  const bucket = config.S3_BUCKET;
  const client = createClient(config, config.S3_ENDPOINT);
  const publicClient = createClient(config, config.S3_PUBLIC_ENDPOINT ?? config.S3_ENDPOINT);
  const agents = createAgents(MAX_SOCKETS);

  return {
    ensureBucket: () =>
      call(async () => {
        if (!(await client.bucketExists(bucket))) await client.makeBucket(bucket, config.S3_REGION);
      }),

    ready: () =>
      call(async () => {
        if (!(await client.bucketExists(bucket)))
          throw new ObjectStoreUnavailable(`there is no bucket ${bucket}`);
      }, READY_DEADLINE_MS),

    async put(key, bytes, { contentType }) {
      const url = await client.presignedUrl('PUT', bucket, key, WRITE_URL_SECONDS);
      await putBytes(url, bytes, { agents, contentType });
    },

    startMultipart: (key, { contentType }) => startMultipart(key, contentType),

    read: (key, { maxBytes }) =>
      call(async () => readAll(await client.getObject(bucket, key), maxBytes), READ_DEADLINE_MS),

    stat: (key) =>
      call(async () => {
        const found = await client.statObject(bucket, key);
        const contentType = found.metaData['content-type'] as string | undefined;
        return { sizeBytes: found.size, contentType };
      }).catch((error: unknown) => {
        if (error instanceof ObjectNotFound) return undefined;
        throw error;
      }),

    remove: (keys) =>
      call(async () => {
        if (keys.length > 0) await client.removeObjects(bucket, [...keys]);
      }),

    async *list(prefix) {
      for await (const item of client.listObjectsV2(bucket, prefix, true)) {
        const { name, size } = item as { name: string; size: number };
        yield { key: name, sizeBytes: size };
      }
    },

    async *listIncomplete(prefix) {
      for await (const item of client.listIncompleteUploads(bucket, prefix, true)) {
        const { key, uploadId } = item as { key: string; uploadId: string };
        yield { key, uploadId };
      }
    },

    presignGet: (key, { expiresInSeconds, disposition, contentType, filename }) =>
      publicClient.presignedGetObject(bucket, key, expiresInSeconds, {
        'response-content-disposition': contentDisposition(disposition, filename),
        'response-content-type': contentType,
      }),
  };

  async function startMultipart(key: string, contentType: string): Promise<MultipartUpload> {
    const uploadId = await call(() =>
      client.initiateNewMultipartUpload(bucket, key, { 'Content-Type': contentType }),
    );
    const parts: { part: number; etag: string }[] = [];
    return {
      async uploadPart(part, bytes, signal) {
        const url = await client.presignedUrl('PUT', bucket, key, WRITE_URL_SECONDS, {
          partNumber: String(part),
          uploadId,
        });
        parts.push({ part, etag: await putBytes(url, bytes, { agents, signal }) });
      },
      async complete() {
        const inOrder = parts.toSorted((a, b) => a.part - b.part);
        await call(() => client.completeMultipartUpload(bucket, key, uploadId, inOrder), READ_DEADLINE_MS);
      },
      async abort() {
        await call(() => client.abortMultipartUpload(bucket, key, uploadId)).catch((error: unknown) => {
          if (!(error instanceof ObjectNotFound)) throw error;
        });
      },
    };
  }
}

function createClient(config: S3Config, endpoint: string): Client {
  const { hostname, port, protocol } = new URL(endpoint);
  const useSSL = protocol === 'https:';
  return new Client({
    endPoint: hostname,
    port: port ? Number(port) : useSSL ? 443 : 80,
    useSSL,
    accessKey: config.S3_ACCESS_KEY_ID,
    secretKey: config.S3_SECRET_ACCESS_KEY,
    // Without it, presigning would ask the server first.
    region: config.S3_REGION,
    pathStyle: true,
  });
}

/** Bounds a call that cannot be cancelled, and gives its failure a name. */
async function call<R>(work: () => Promise<R>, milliseconds = CALL_DEADLINE_MS): Promise<R> {
  const deadline = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => deadline.reject(new ObjectStoreUnavailable(`no answer within ${milliseconds} ms`)),
    milliseconds,
  );
  try {
    return await Promise.race([work(), deadline.promise]);
  } catch (error) {
    throw storeError(error);
  } finally {
    clearTimeout(timer);
  }
}

async function readAll(stream: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) {
      stream.destroy();
      throw new ObjectTooLarge(`the object has more than ${maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}
