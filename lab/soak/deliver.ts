import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Refused, expectStatus, type Http, type Json } from '../../client/http.ts';
import { json } from '../../client/send.ts';
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
