import http from 'node:http';
import https from 'node:https';
import { ObjectStoreUnavailable } from './errors.ts';

/** A store that takes no bytes for this long is taken for dead. */
const SILENCE_MS = 30_000;

/** Connections that are kept for the next part. */
export interface Agents {
  http: http.Agent;
  https: https.Agent;
}

export function createAgents(maxSockets: number): Agents {
  return {
    http: new http.Agent({ keepAlive: true, maxSockets }),
    https: new https.Agent({ keepAlive: true, maxSockets }),
  };
}

/**
 * PUTs bytes to a presigned URL. Straight from the caller's buffer, which must stay as it is until this resolves.
 *
 * @returns the etag, without quotes
 * @throws ObjectStoreUnavailable unless the store answers 200
 */
export function putBytes(
  target: string,
  bytes: Uint8Array,
  { agents, contentType, signal }: { agents: Agents; contentType?: string; signal?: AbortSignal | undefined },
): Promise<string> {
  const url = new URL(target);
  const [client, agent] = url.protocol === 'https:' ? [https, agents.https] : [http, agents.http];
  return new Promise((resolve, reject) => {
    const request = client.request(url, {
      method: 'PUT',
      agent,
      timeout: SILENCE_MS,
      ...(signal && { signal }),
      headers: { 'Content-Length': bytes.byteLength, ...(contentType && { 'Content-Type': contentType }) },
    });
    request.once('timeout', () => request.destroy(new Error('the object store fell silent')));
    request.once('error', (error) =>
      reject(new ObjectStoreUnavailable('writing to the object store failed', { cause: error })),
    );
    request.once('response', (response) => {
      const body: Buffer[] = [];
      response.on('data', (chunk: Buffer) => body.push(chunk));
      response.once('error', reject);
      response.once('end', () => {
        const etag = response.headers.etag?.replaceAll('"', '');
        if (response.statusCode === 200 && etag) return resolve(etag);
        const answer = Buffer.concat(body).toString().slice(0, 500);
        return reject(
          new ObjectStoreUnavailable(`the object store answered ${response.statusCode}: ${answer}`),
        );
      });
    });
    request.end(bytes);
  });
}
