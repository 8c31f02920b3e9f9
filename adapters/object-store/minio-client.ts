import http from 'node:http';
import https from 'node:https';
import { Client } from 'minio';
import type { S3Config } from './config.ts';

/** Completing a large upload is the slowest call. */
const CALL_WITHIN_MS = 60_000;

/** Exposes the listing of an upload's parts, which is protected in the library. */
class MinioClient extends Client {
  partsOf(bucket: string, key: string, uploadId: string): ReturnType<Client['listParts']> {
    return this.listParts(bucket, key, uploadId);
  }
}

/** The client for calls with XML bodies. It has no timeout of its own, so every call gets a deadline. */
export function createMinioClient(config: S3Config, agent: http.Agent): MinioClient {
  const { protocol, hostname, port } = new URL(config.S3_ENDPOINT);
  const useSSL = protocol === 'https:';
  return new MinioClient({
    endPoint: hostname,
    port: port === '' ? (useSSL ? 443 : 80) : Number(port),
    useSSL,
    accessKey: config.S3_ACCESS_KEY_ID,
    secretKey: config.S3_SECRET_ACCESS_KEY,
    ...(config.S3_SESSION_TOKEN !== undefined && { sessionToken: config.S3_SESSION_TOKEN }),
    // Without it, the client asks the server for the region.
    region: config.S3_REGION,
    pathStyle: config.S3_FORCE_PATH_STYLE,
    transport: { request: bounded(useSSL ? https : http) },
    transportAgent: agent,
    // Its own retry prints to the console.
    retryOptions: { disableRetry: true },
  });
}

function bounded(transport: Pick<typeof http, 'request'>): typeof http.request {
  const request = (options: http.RequestOptions, onResponse: (response: http.IncomingMessage) => void) =>
    transport.request({ ...options, signal: AbortSignal.timeout(CALL_WITHIN_MS) }, (response) => {
      // minio does not read these bodies, which would keep the socket busy.
      if ((response.statusCode ?? 0) >= 500 || response.statusCode === 429) response.resume();
      onResponse(response);
    });
  return request as typeof http.request;
}
