import { setTimeout as delay } from 'node:timers/promises';
import { expectStatus, type Http, type Json, RequestFailed } from '../shared/http.ts';
import type { Upload } from './uploads.ts';

const POLL_MS = 500;
const ENDS_WITHIN_MS = 180_000;

/** Uploads one file by streaming. Returns the file id. */
export async function deliverSingle(http: Http, { name, bytes }: Upload): Promise<string> {
  const tags = ['soak', 'single'];
  const uploaded = await http.runWithRetries('an upload', (options) =>
    http.client.upload(bytes, { ...options, filename: name, tags, directOverBytes: Infinity }),
  );
  return uploaded.file_id;
}

/** Uploads one file directly to the store with presigned URLs. Returns the file id. */
export async function deliverDirect(http: Http, { name, contentType, bytes }: Upload): Promise<string> {
  const tags = ['soak', 'direct'];
  const uploaded = await http.runWithRetries('a direct upload', (options) =>
    http.client.upload(bytes, {
      ...options,
      filename: name,
      contentType,
      tags,
      directOverBytes: 0,
      verified: false,
    }),
  );
  return uploaded.file_id;
}

/** Uploads several files in one request. Returns the session id. */
export async function deliverBatch(http: Http, uploads: Upload[]): Promise<string> {
  const files = uploads.map(({ name, bytes }) => new File([Buffer.from(bytes)], name));
  const answer = await http.runWithRetries('a batch', (options) =>
    http.client.uploadBatch(files, { ...options, tags: ['soak', 'batch'] }),
  );
  return answer.session_id;
}

/** The file ids of a session that has ended. @throws RequestFailed if the number of files is wrong */
export async function readSession(http: Http, sessionId: string, files: number): Promise<string[]> {
  const path = `/files/sessions/${sessionId}`;
  for (const view of ['status', 'summary'])
    expectStatus(await http.sendWithRetries('GET', `${path}/${view}`), 200, `the ${view} of a session`);
  const page = await http.sendWithRetries('GET', `${path}/results?limit=100`);
  const results = expectStatus(page, 200, 'the results of a session').results as Json[];
  const ids = results.map(({ file_id: id }) => id as string);
  if (ids.length !== files) throw new RequestFailed(`a session of ${files} files has ${ids.length} results`);
  return ids;
}

/** Polls the status of a file until it has ended. @throws RequestFailed after the deadline */
export async function untilEnded(http: Http, id: string, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + ENDS_WITHIN_MS;
  for (;;) {
    const answer = await http.sendWithRetries('GET', `/files/uploads-status/${id}`);
    if (expectStatus(answer, 200, 'the status of a file').is_terminal) return;
    if (Date.now() > deadline) throw new RequestFailed('a file did not end in time');
    await delay(POLL_MS, undefined, { signal });
  }
}

/** An upload session did not end in time, or its live channel failed. */
class NotFollowed extends Error {}

const TERMINAL = 'batch.terminal';

interface Followed {
  http: Http;
  apiUrl: string;
  apiKey: string;
  sessionId: string;
  signal: AbortSignal;
}

/** Reads the event stream of a session until the session has ended. @throws NotFollowed */
export async function followByEvents({ http, sessionId, signal }: Followed): Promise<void> {
  const both = AbortSignal.any([signal, AbortSignal.timeout(ENDS_WITHIN_MS)]);
  try {
    for await (const event of http.client.events(`/files/sessions/${sessionId}`, { signal: both })) {
      if (event.type === TERMINAL) return;
    }
  } catch (error) {
    throw new NotFollowed(`events: ${String(error)}`, { cause: error });
  }
}

/** Subscribes to a session on a WebSocket until the session has ended. @throws NotFollowed */
export async function followBySocket({ apiUrl, apiKey, sessionId, signal }: Followed): Promise<void> {
  const headers = { Authorization: `Bearer ${apiKey}` };
  const socket = new WebSocket(`${apiUrl.replace(/^http/, 'ws')}/ws`, { headers });
  const ended = Promise.withResolvers<void>();
  const stop = AbortSignal.any([signal, AbortSignal.timeout(ENDS_WITHIN_MS)]);
  stop.addEventListener('abort', () => ended.reject(new NotFollowed('the session did not end in time')));
  socket.addEventListener('open', () =>
    socket.send(JSON.stringify({ action: 'subscribe', channel: `batch.${sessionId}` })),
  );
  socket.addEventListener('message', ({ data }) => {
    const frame = JSON.parse(String(data)) as { type: string; data?: { status?: string } };
    const over = !['pending', 'uploading', 'processing'].includes(frame.data?.status ?? 'pending');
    if (frame.type === TERMINAL || (frame.type === 'snapshot' && over)) ended.resolve();
  });
  socket.addEventListener('close', () => ended.reject(new NotFollowed('the WebSocket was closed')));
  socket.addEventListener('error', () => ended.reject(new NotFollowed('the WebSocket failed')));
  try {
    await ended.promise;
  } finally {
    socket.close();
  }
}
