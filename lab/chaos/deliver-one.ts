import type { Content } from './contents.ts';
import { Refused, expectStatus, type Answer, type Http, type Json } from '../../client/http.ts';
import { json } from '../../client/send.ts';
import type { Delivery } from './plan.ts';
import { setTimeout as delay } from 'node:timers/promises';

const PART_BYTES = 5 * 1024 * 1024;
const ATTEMPTS = 8;
const VERIFIED_WITHIN_MS = 240_000;
const POLL_MS = 500;

type Of<Route extends Delivery['route']> = Extract<Delivery, { route: Route }>;

/** One streamed upload. It has no idempotency key: `skip_duplicates` makes it safe to repeat. Returns the file id. */
export async function deliverStream(http: Http, { piece }: Of<'stream'>, content: Content): Promise<string> {
  const form = new FormData();
  form.append('skip_duplicates', 'true');
  form.append('file', new Blob([content.bytes]), piece.name);
  const answer = await http.patiently('POST', '/files/upload', { body: form });
  return expectStatus(answer, 201, `the upload of ${piece.name}`).file_id as string;
}

/**
 * One direct upload: created and completed with idempotency keys, so that a lost response can be requested again; bytes
 * missing from the store are sent again. Returns the file id.
 */
export async function deliverDirect(
  http: Http,
  delivery: Of<'direct'>,
  content: Content,
  { key, signal }: { key: string; signal: AbortSignal },
): Promise<string> {
  const { piece, mode, skipDuplicates } = delivery;
  const announced = await http.patiently(
    'POST',
    '/files/direct-uploads',
    json(
      {
        filename: piece.name,
        content_type: 'image/png',
        size_bytes: content.bytes.length,
        claimed_file_hash: content.sha256,
        skip_duplicates: skipDuplicates,
        upload_mode: mode,
        ...(mode === 'multipart' && { part_size_bytes: PART_BYTES }),
      },
      { 'Idempotency-Key': `${key}-create` },
    ),
  );
  const upload = expectStatus(announced, 201, `the announcement of ${piece.name}`);
  const path = `/files/direct-uploads/${upload.upload_id}`;
  await putAll(http, path, upload, content);
  for (let attempt = 1; ; attempt += 1) {
    const headers = { 'Idempotency-Key': `${key}-complete` };
    const answer = await http.patiently('POST', `${path}/complete`, json({}, headers));
    if (answer.status === 202) break;
    if (attempt === ATTEMPTS || !wantsBytes(answer)) {
      expectStatus(answer, 202, `the completion of ${piece.name}`);
    }
    await putAll(http, path, upload, content);
  }
  return verified(http, path, piece.name, signal);
}

/** Whether the response reports bytes missing from the store. */
function wantsBytes({ status, body }: Answer): boolean {
  return status === 422 && ['NOT_UPLOADED', 'PARTS_MISSING'].includes(body?.code);
}

async function putAll(http: Http, path: string, upload: Json, { bytes }: Content): Promise<void> {
  if (upload.upload_mode === 'single_shot') {
    const init = { headers: upload.headers, body: bytes };
    expectStatus(await http.patiently('PUT', upload.presigned_url, init), 200, 'the PUT to the object store');
    return;
  }
  const size = upload.part_size_bytes as number;
  for (const { part_number: number, url } of upload.part_urls as Json[]) {
    const part = bytes.subarray((number - 1) * size, number * size);
    const put = await http.patiently('PUT', url, { body: part });
    expectStatus(put, 200, `the PUT of part ${number} to the object store`);
    const etag = put.headers.get('etag');
    const confirm = { part_number: number, etag, size_bytes: part.length };
    const confirmed = await http.patiently('POST', `${path}/parts/confirm`, json(confirm));
    expectStatus(confirmed, 200, `the confirmation of part ${number}`);
  }
}

/** A slow verification is still running at the 202; the record has its outcome. */
async function verified(http: Http, path: string, name: string, signal: AbortSignal): Promise<string> {
  const deadline = Date.now() + VERIFIED_WITHIN_MS;
  for (;;) {
    const record = expectStatus(await http.patiently('GET', path), 200, `the record of ${name}`);
    if (record.status === 'COMPLETED') return record.file_id as string;
    if (record.status === 'FAILED')
      throw new Refused(`the upload of ${name} failed: ${record.error_message}`);
    if (Date.now() > deadline) throw new Refused(`the upload of ${name} is still ${record.status}`);
    await delay(POLL_MS, undefined, { signal });
  }
}
