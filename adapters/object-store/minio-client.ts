import http from 'node:http';
import https from 'node:https';
import { pipeline, Transform } from 'node:stream';
import { Client } from 'minio';
import type { S3Config } from './config.ts';

/** Completing a large upload is the slowest call. */
const CALL_WITHIN_MS = 60_000;
/** A page of a listing has a thousand keys of up to a kilobyte each. */
const MAX_ANSWER_BYTES = 8 * 2 ** 20;

type Parts = Awaited<ReturnType<Client['listParts']>>;

/** The page of a listing, which is private in the types of the library. */
interface PartPages {
  listPartsQuery(bucket: string, key: string, uploadId: string, after: number): Promise<{ parts: Parts }>;
}

/** Exposes the listing of an upload's parts, which is protected in the library. */
class MinioClient extends Client {
  /** @param after only the page behind this number; by default all */
  async partsOf(bucket: string, key: string, uploadId: string, after?: number): Promise<Parts> {
    if (after === undefined) return this.listParts(bucket, key, uploadId);
    const pages = this as unknown as PartPages;
    return (await pages.listPartsQuery(bucket, key, uploadId, after)).parts;
  }
}

/** The client for calls with XML bodies. It has no timeout of its own, so every call gets a deadline. */
export function createMinioClient(
  config: S3Config,
  agent: http.Agent,
  answerWithinMs = CALL_WITHIN_MS,
): MinioClient {
  const { protocol, hostname, port } = new URL(config.S3_ENDPOINT);
  const useSSL = protocol === 'https:';
  return new MinioClient({
    endPoint: hostname,
    port: port === '' ? (useSSL ? 443 : 80) : Number(port),
    useSSL,
    accessKey: config.S3_ACCESS_KEY_ID,
    secretKey: config.S3_SECRET_ACCESS_KEY,
    ...(config.S3_SESSION_TOKEN !== undefined && { sessionToken: config.S3_SESSION_TOKEN }),
    // Otherwise the client requests the region from the server.
    region: config.S3_REGION,
    pathStyle: config.S3_FORCE_PATH_STYLE,
    transport: { request: bounded(useSSL ? https : http, answerWithinMs) },
    transportAgent: agent,
    // Its own retry prints to the console.
    retryOptions: { disableRetry: true },
  });
}

/** minio reads answers whole and without a limit, so a time and a size limit are added. */
function bounded(transport: Pick<typeof http, 'request'>, answerWithinMs: number): typeof http.request {
  const request = (options: http.RequestOptions, onResponse: (response: http.IncomingMessage) => void) =>
    transport.request({ ...options, signal: AbortSignal.timeout(answerWithinMs) }, (response) => {
      const { statusCode = 0, statusMessage, headers } = response;
      const body = Object.assign(limitBytes(), { statusCode, statusMessage, headers });
      pipeline(response, body, () => undefined);
      // minio does not read these bodies, which would keep the socket busy.
      if (statusCode >= 500 || statusCode === 429) body.resume();
      onResponse(body as unknown as http.IncomingMessage);
    });
  return request as typeof http.request;
}

function limitBytes(): Transform {
  let size = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size > MAX_ANSWER_BYTES) done(new Error(`the answer has more than ${MAX_ANSWER_BYTES} bytes`));
      else done(null, chunk);
    },
  });
}
