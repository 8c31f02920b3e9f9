import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expectStatus, type Http, type Json, Refused } from '../../client/http.ts';
import { json, send } from '../../client/send.ts';
import type { Upload } from './uploads.ts';

const POLL_MS = 500;
const ENDS_WITHIN_MS = 180_000;

/** One streamed upload. Returns the file id. */
export async function deliverSingle(http: Http, { name, bytes }: Upload): Promise<string> {
  const form = new FormData();
  form.append('tags', 'soak,single');
  form.append('file', new Blob([bytes]), name);
  const answer = await http.patiently('POST', '/files/upload', { body: form });
  return expectStatus(answer, 201, 'an upload').file_id as string;
}

/** One presigned upload: announced, put into the store, completed. Returns the file id. */
export async function deliverDirect(http: Http, { name, contentType, bytes }: Upload): Promise<string> {
  const announcement = json({
    filename: name,
    content_type: contentType,
    size_bytes: bytes.length,
    claimed_file_hash: createHash('sha256').update(bytes).digest('hex'),
    tags: ['soak', 'direct'],
  });
  const announced = await http.patiently('POST', '/files/direct-uploads', announcement);
  const upload = expectStatus(announced, 201, 'an announcement');
  const init = { headers: upload.headers, body: bytes };
  expectStatus(await http.patiently('PUT', upload.presigned_url, init), 200, 'a PUT to the object store');
  const path = `/files/direct-uploads/${upload.upload_id}/complete`;
  return expectStatus(await http.patiently('POST', path), 202, 'a completion').file_id as string;
}

/** Several files in one request. Returns the session id. */
export async function deliverBatch(http: Http, uploads: Upload[]): Promise<string> {
  const form = new FormData();
  form.append('tags', 'soak,batch');
  for (const { name, bytes } of uploads) form.append('files', new Blob([bytes]), name);
  const answer = await http.patiently('POST', '/files/upload/batch', { body: form });
  return expectStatus(answer, 201, 'a batch').session_id as string;
}

/** The file ids of a session that has ended. @throws Refused unless all files are there */
export async function readSession(http: Http, sessionId: string, files: number): Promise<string[]> {
  const path = `/files/sessions/${sessionId}`;
  for (const view of ['status', 'summary'])
    expectStatus(await http.patiently('GET', `${path}/${view}`), 200, `the ${view} of a session`);
  const page = await http.patiently('GET', `${path}/results?limit=100`);
  const results = expectStatus(page, 200, 'the results of a session').results as Json[];
  const ids = results.map(({ file_id: id }) => id as string);
  if (ids.length !== files) throw new Refused(`a session of ${files} files has ${ids.length} results`);
  return ids;
}

/** Polls the status of a file until it has ended. @throws Refused when that takes too long */
export async function untilEnded(http: Http, id: string, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + ENDS_WITHIN_MS;
  for (;;) {
    const answer = await http.patiently('GET', `/files/uploads-status/${id}`);
    if (expectStatus(answer, 200, 'the status of a file').is_terminal) return;
    if (Date.now() > deadline) throw new Refused('a file has not ended');
    await delay(POLL_MS, undefined, { signal });
  }
}

/** An upload session did not end in time, or its live channel broke. */
class NotFollowed extends Error {}

const TERMINAL = 'batch.terminal';

interface Followed {
  apiUrl: string;
  apiKey: string;
  sessionId: string;
  signal: AbortSignal;
}

/** Reads the event stream of a session until the session has ended. @throws NotFollowed */
export async function followByEvents({ apiUrl, apiKey, sessionId, signal }: Followed): Promise<void> {
  const response = await send({ url: apiUrl, key: apiKey }, 'GET', `/files/sessions/${sessionId}/events`, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(ENDS_WITHIN_MS)]),
  });
  // 204: it has ended already.
  if (response.status === 204) return;
  if (response.status !== 200 || !response.body) throw new NotFollowed(`events: ${response.status}`);
  let last = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    last = (last + chunk).slice(-TERMINAL.length - chunk.length);
    if (last.includes(`event: ${TERMINAL}`)) return;
  }
  throw new NotFollowed('the event stream ended before the session');
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
