import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { createClient, eventually, sharedRun, type Answer, type Json } from '../support/api.ts';
import { paddedImage } from '../support/images.ts';
import { quarters } from '../support/sample-images.ts';

const run = sharedRun();
const client = createClient(run);
const MIB = 1024 * 1024;

/** A copy with its last bit flipped. */
const changed = (bytes: Buffer) =>
  Buffer.concat([bytes.subarray(0, -1), Buffer.from([(bytes.at(-1) ?? 0) ^ 1])]);

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

const uploadRequest = (bytes: Uint8Array, fields: Json = {}) => ({
  filename: 'big image.png',
  content_type: 'image/png',
  size_bytes: bytes.length,
  claimed_file_hash: sha256(bytes),
  ...fields,
});

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  client.request('POST', `/files/direct-uploads${path}`, {
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json', ...headers },
  });

async function begin(bytes: Uint8Array, fields: Json = {}): Promise<Json> {
  const answer = await post('', uploadRequest(bytes, fields));
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body;
}

async function put(url: string, bytes: Uint8Array, headers: Record<string, string> = {}) {
  const response = await fetch(url, { method: 'PUT', headers, body: bytes as Uint8Array<ArrayBuffer> });
  await response.body?.cancel();
  return { status: response.status, etag: response.headers.get('etag') ?? '' };
}

const sent = async (upload: Json, bytes: Uint8Array) =>
  assert.equal((await put(upload.presigned_url, bytes, upload.headers)).status, 200);
const intent = async (id: string): Promise<Json> => (await client.get(`/files/direct-uploads/${id}`)).body;
const complete = (id: string, headers = {}) => post(`/${id}/complete`, {}, headers);
const abort = (id: string, query = '') => client.request('DELETE', `/files/direct-uploads/${id}${query}`);
const refused = (answer: Answer) => [answer.status, answer.body.code];

/** Sends all parts and confirms them, last first. */
async function sendParts(upload: Json, bytes: Uint8Array, urls = upload.part_urls as Json[]): Promise<void> {
  for (const { part_number: number, url } of urls.toReversed()) {
    const from = (number - 1) * upload.part_size_bytes;
    const part = bytes.subarray(from, from + upload.part_size_bytes);
    const { status, etag } = await put(url, part);
    assert.equal(status, 200);
    const confirmed = await confirm(upload.upload_id, number, etag, part.length);
    assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body));
  }
}

const confirm = (id: string, part_number: number, etag: string, size_bytes: number) =>
  post(`/${id}/parts/confirm`, { part_number, etag, size_bytes });

test('an image uploaded by a single PUT becomes an ordinary file', async () => {
  const bytes = await paddedImage();
  const upload = await begin(bytes, {
    title: 'Direct',
    tags: ['a', ...Array.from({ length: 30 }, () => 'b')],
  });
  assert.equal(upload.upload_mode, 'single_shot');
  assert.equal(upload.method, 'PUT');
  assert.equal(upload.media_type, 'image');
  assert.equal(upload.max_size_bytes, bytes.length);
  assert.match(upload.bucket_name, /^darkroom/);
  assert.deepEqual(upload.headers, {
    'Content-Type': 'image/png',
    'x-amz-checksum-sha256': Buffer.from(sha256(bytes), 'hex').toString('base64'),
    'x-amz-sdk-checksum-algorithm': 'SHA256',
  });
  const before = await intent(upload.upload_id);
  assert.equal(before.status, 'PENDING');
  assert.deepEqual([before.total_parts, before.parts_confirmed, before.progress_percent], [null, null, null]);

  await sent(upload, bytes);
  assert.equal((await intent(upload.upload_id)).status, 'UPLOADED');
  const done = await complete(upload.upload_id);
  assert.equal(done.status, 202, JSON.stringify(done.body));
  assert.equal(done.body.deduplicated, false);
  assert.equal(done.body.size_bytes, bytes.length);
  const after = await intent(upload.upload_id);
  assert.equal(after.status, 'COMPLETED');
  assert.deepEqual([done.body.object_key, after.object_key], [upload.object_key, upload.object_key]);
  assert.equal(after.file_id, done.body.file_id);
  assert.ok(after.confirmed_at);

  const file = await client.settled(done.body.file_id);
  assert.equal(file.primary_status, 'completed');
  assert.equal(file.title, 'Direct');
  assert.deepEqual(file.tags.slice(0, 2), ['a', 'b']);
  const { bytes: stored } = await client.follow(`/files/${file.id}/download`);
  assert.ok(stored.equals(bytes));
  const again = await complete(upload.upload_id);
  assert.deepEqual(again.body, { ...done.body, status: 'completed' });
});

test('the record of an upload tells which parts are confirmed, only stored or missing, and lists find open ones', async () => {
  const bytes = await paddedImage(15 * MIB + 7);
  const upload = await begin(bytes, { upload_mode: 'multipart', part_size_bytes: 5 * MIB });
  const id = upload.upload_id as string;
  const part = (number: number) => bytes.subarray((number - 1) * 5 * MIB, number * 5 * MIB);
  const urls = (upload.part_urls as Json[]).map(({ url }) => url as string);
  const { etag: first } = await put(urls[0] ?? '', part(1));
  await confirm(id, 1, first, 5 * MIB);
  // Stored, but the confirmation was lost.
  await put(urls[1] ?? '', part(2));
  const { etag: wrong } = await put(urls[3] ?? '', Buffer.alloc(7));
  await confirm(id, 4, wrong, 7);

  const states = ({ parts }: Json) =>
    parts.map((each: Json) => [each.part_number, each.size_bytes, each.state]);
  const before = await intent(id);
  assert.deepEqual(states(before), [
    [1, 5 * MIB, 'confirmed'],
    [2, 5 * MIB, 'stored'],
    [3, 5 * MIB, 'missing'],
    [4, 7, 'confirmed'],
  ]);
  assert.equal(before.parts[0].etag, first.replaceAll('"', ''));
  assert.equal(before.parts[2].etag, null);
  assert.deepEqual([before.part_size_bytes, before.has_more_parts], [5 * MIB, false]);
  const { body: page } = await client.get(`/files/direct-uploads/${id}?parts_after=1&parts_limit=2`);
  assert.deepEqual([states(page).map(([number]: number[]) => number), page.has_more_parts], [[2, 3], true]);
  const { body: past } = await client.get(`/files/direct-uploads/${id}?parts_after=9000`);
  assert.deepEqual([past.parts, past.has_more_parts], [[], false]);
  for (const query of ['parts_after=-1', 'parts_after=10001', 'parts_limit=1001', 'parts_limit=a'])
    assert.equal((await client.get(`/files/direct-uploads/${id}?${query}`)).status, 422, query);
  const { body: open } = await client.get('/files/direct-uploads?limit=100');
  const listed = open.items.find(({ upload_id }: Json) => upload_id === id);
  assert.deepEqual([listed.parts_confirmed, listed.claimed_file_hash], [2, sha256(bytes)]);

  await abort(id);
  const small = await paddedImage();
  const single = await begin(small);
  assert.deepEqual(refused(await post(`/${id}/url`, {})), [409, 'UPLOAD_ABORTED']);
  assert.deepEqual((await intent(single.upload_id)).parts, []);
  const { body: again } = await post(`/${single.upload_id}/url`, {});
  assert.deepEqual([again.presigned_url, again.headers], [single.presigned_url, single.headers]);
  await abort(single.upload_id);
});

test('null means "not given" for every optional field', async () => {
  const optional =
    'upload_mode part_size_bytes title tags folder_id project_id skip_duplicates storage_target auto_describe ' +
    'content_category custom_schema_id compliance_type compliance_standard compliance_image_type';
  const bytes = await paddedImage();
  const upload = await begin(bytes, Object.fromEntries(optional.split(' ').map((name) => [name, null])));
  assert.equal(upload.upload_mode, 'single_shot');
  await sent(upload, bytes);
  const { body } = await complete(upload.upload_id);
  const file = (await client.get(`/files/${body.file_id}`)).body;
  assert.deepEqual([file.title, file.content_category], ['big image.png', 'general']);
  // The description may have added its own tags already.
  assert.ok(!file.tags.includes('null'), String(file.tags));
  assert.notEqual(file.description_status, 'skipped');
});

test('the store rejects other bytes, another length and another type', async () => {
  const bytes = await paddedImage();
  const upload = await begin(bytes);
  const other = changed(bytes);
  const { presigned_url: url, headers } = upload;
  for (const [body, sentHeaders] of [
    [other, headers],
    [bytes.subarray(1), headers],
    [bytes, { ...headers, 'Content-Type': 'text/html' }],
    [bytes, { 'Content-Type': 'image/png' }],
  ] as const) {
    const { status } = await put(url, body, sentHeaders);
    assert.ok(status >= 400 && status < 500, String(status));
  }
  assert.deepEqual(refused(await complete(upload.upload_id)), [422, 'NOT_UPLOADED']);
  await sent(upload, bytes);
  assert.equal((await complete(upload.upload_id)).status, 202);
});

test('an object that is replaced after its verification is not served', async () => {
  const bytes = await paddedImage();
  const upload = await begin(bytes);
  await sent(upload, bytes);
  const { body } = await complete(upload.upload_id);
  // The URL accepts only the same bytes, and they do not reach the file.
  await sent(upload, bytes);
  await client.settled(body.file_id);
  const answer = await client.get(`/files/${body.file_id}/download`);
  const served = new URL(answer.headers.get('location') ?? '').pathname;
  assert.notEqual(served, new URL(upload.presigned_url).pathname);
  assert.ok((await client.follow(`/files/${body.file_id}/download`)).bytes.equals(bytes));
});

test('parts that arrive in any order and are confirmed twice make one file', async () => {
  const bytes = await paddedImage(11 * MIB);
  const upload = await begin(bytes, { upload_mode: 'multipart', part_size_bytes: 5 * MIB });
  const id = upload.upload_id;
  assert.equal(upload.total_parts, 3);
  assert.equal(upload.part_urls.length, 3);
  assert.deepEqual(refused(await complete(id)), [422, 'PARTS_MISSING']);

  const { etag } = await put(upload.part_urls[2].url, bytes.subarray(10 * MIB));
  assert.match(etag, /^"/);
  const first = await confirm(id, 3, etag, MIB);
  assert.equal(first.body.parts_confirmed, 1);
  assert.equal(first.body.progress_percent, 33.3);
  assert.deepEqual((await confirm(id, 3, etag.replaceAll('"', ''), MIB)).body, first.body);
  assert.equal((await intent(id)).status, 'PENDING');
  const missing = await complete(id);
  assert.deepEqual(
    missing.body.errors.map(({ pointer }: Json) => pointer),
    ['/parts/1', '/parts/2'],
  );

  const fresh = await post(`/${id}/parts/retry`, { part_number: 1 });
  assert.equal(fresh.status, 200);
  await sendParts(upload, bytes, [fresh.body, upload.part_urls[1]]);
  const uploaded = await intent(id);
  assert.deepEqual(
    [uploaded.status, uploaded.parts_confirmed, uploaded.progress_percent],
    ['UPLOADED', 3, 100],
  );

  const done = await complete(id);
  assert.equal(done.status, 202, JSON.stringify(done.body));
  assert.equal((await client.settled(done.body.file_id)).primary_status, 'completed');
  assert.ok((await client.follow(`/files/${done.body.file_id}/download`)).bytes.equals(bytes));
  assert.equal((await put(upload.part_urls[0].url, bytes.subarray(0, 5 * MIB))).status, 404);
});

test('a confirmed part that differs in the store has to be sent again', async () => {
  const bytes = await paddedImage(6 * MIB);
  const upload = await begin(bytes, { upload_mode: 'multipart', part_size_bytes: 5 * MIB });
  const id = upload.upload_id;
  await sendParts(upload, bytes);
  await confirm(id, 2, 'd41d8cd98f00b204e9800998ecf8427e', MIB);
  const answer = await complete(id);
  assert.deepEqual(refused(answer), [422, 'PARTS_MISSING']);
  assert.match(answer.body.detail, /part 2 /);
  assert.equal((await intent(id)).parts_confirmed, 1);
  await sendParts(upload, bytes, [upload.part_urls[1]]);
  assert.equal((await complete(id)).status, 202);
});

test('bytes that do not match the claimed hash get 409, and only the wrong part has to be sent again', async () => {
  const bytes = await paddedImage(6 * MIB);
  const wrong = changed(bytes);
  const upload = await begin(bytes, { upload_mode: 'multipart', part_size_bytes: 5 * MIB });
  const id = upload.upload_id;
  await sendParts(upload, wrong);
  for (let time = 0; time < 2; time++) {
    const answer = await complete(id);
    assert.deepEqual(refused(answer), [409, 'HASH_MISMATCH']);
    assert.match(answer.body.detail, new RegExp(`${sha256(wrong)}.*all parts stay confirmed`));
    const open = await intent(id);
    assert.deepEqual(
      [open.status, open.parts_confirmed, open.object_key],
      ['UPLOADED', 2, upload.object_key],
    );
    assert.match(open.error_message, /SHA-256/);
  }
  assert.equal((await put(upload.part_urls[1].url, bytes.subarray(5 * MIB))).status, 404);

  await sendParts(upload, bytes, [(await post(`/${id}/parts/retry`, { part_number: 2 })).body]);
  const done = await complete(id);
  assert.equal(done.status, 202, JSON.stringify(done.body));
  assert.equal(done.body.object_key, upload.object_key);
  assert.ok((await client.follow(`/files/${done.body.file_id}/download`)).bytes.equals(bytes));
});

test('leading bytes decide the type: another image type is accepted, a script fails the upload', async () => {
  const jpeg = await quarters().jpeg().toBuffer();
  const named = await begin(jpeg);
  await sent(named, jpeg);
  const { body } = await complete(named.upload_id);
  assert.equal((await client.settled(body.file_id)).content_type, 'image/jpeg');

  const script = Buffer.from('#!/bin/sh\nrm -rf /\n');
  const upload = await begin(script);
  await sent(upload, script);
  assert.deepEqual(refused(await complete(upload.upload_id)), [415, 'UNSUPPORTED_MEDIA']);
  const failed = await intent(upload.upload_id);
  assert.equal(failed.status, 'FAILED');
  assert.match(failed.error_message, /not accepted/);
  assert.deepEqual(refused(await complete(upload.upload_id)), [415, 'UNSUPPORTED_MEDIA']);
});

test('with skip_duplicates the existing file is returned', async () => {
  const bytes = await paddedImage();
  const id = await client.ingest({ bytes });
  const upload = await begin(bytes, { skip_duplicates: true });
  await sent(upload, bytes);
  const { status, body } = await complete(upload.upload_id);
  assert.deepEqual([status, body.file_id, body.deduplicated], [202, id, true]);
  assert.equal(body.object_key, upload.object_key);
  assert.equal((await intent(upload.upload_id)).file_id, id);
});

test('without skip_duplicates known content becomes another file, and the response says so', async () => {
  const bytes = await paddedImage();
  const id = await client.ingest({ bytes });
  const upload = await begin(bytes);
  await sent(upload, bytes);
  const { status, body } = await complete(upload.upload_id);
  assert.deepEqual([status, body.deduplicated], [202, true]);
  assert.notEqual(body.file_id, id);
  assert.equal((await complete(upload.upload_id)).body.deduplicated, true);
});

test('two concurrent completions make one file', async () => {
  const bytes = await paddedImage();
  const upload = await begin(bytes);
  await sent(upload, bytes);
  const answers = await Promise.all(Array.from({ length: 5 }, () => complete(upload.upload_id)));
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [202]);
  assert.equal(new Set(answers.map(({ body }) => body.file_id)).size, 1);
});

test('an aborted upload has a reason, can be aborted again, and accepts nothing more', async () => {
  const bytes = await paddedImage(6 * MIB);
  const upload = await begin(bytes, { upload_mode: 'multipart', part_size_bytes: 5 * MIB });
  const id = upload.upload_id;
  await sendParts(upload, bytes);
  const first = await abort(id, '?reason=changed%20my%20mind');
  assert.deepEqual(first.body, { upload_id: id, aborted: true, reason: 'changed my mind' });
  assert.deepEqual((await abort(id)).body, first.body);
  const failed = await intent(id);
  assert.equal(failed.status, 'FAILED');
  assert.match(failed.error_message, /changed my mind/);
  assert.deepEqual(refused(await complete(id)), [409, 'UPLOAD_ABORTED']);
  assert.deepEqual(refused(await confirm(id, 1, 'x', 5 * MIB)), [409, 'UPLOAD_ABORTED']);
  assert.deepEqual(refused(await post(`/${id}/parts/retry`, { part_number: 1 })), [409, 'UPLOAD_ABORTED']);
  await eventually(async () =>
    assert.equal((await put(upload.part_urls[0].url, bytes.subarray(0, 5 * MIB))).status, 404),
  );
});

test('a completed upload cannot be aborted', async () => {
  const bytes = await paddedImage();
  const upload = await begin(bytes);
  await sent(upload, bytes);
  await complete(upload.upload_id);
  const { status, body } = await abort(upload.upload_id);
  assert.deepEqual([status, body.aborted], [200, false]);
  assert.equal((await intent(upload.upload_id)).status, 'COMPLETED');
});

test('twenty equal creations with one Idempotency-Key create one upload', async () => {
  const body = uploadRequest(await paddedImage());
  const key = { 'Idempotency-Key': randomUUID() };
  const answers = await Promise.all(Array.from({ length: 20 }, () => post('', body, key)));
  for (const answer of answers.filter(({ status }) => status !== 201)) {
    assert.deepEqual(refused(answer), [409, 'REQUEST_IN_FLIGHT']);
    assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/);
  }
  const created = answers.filter(({ status }) => status === 201);
  assert.ok(created.length > 0);
  const replay = await eventually(async () => {
    const answer = await post('', body, key);
    assert.equal(answer.status, 201);
    return answer;
  });
  assert.equal(replay.headers.get('idempotency-replayed'), 'true');
  for (const answer of created) assert.deepEqual(answer.body, replay.body);
  const fresh = created.filter(({ headers }) => headers.get('idempotency-replayed') === null);
  assert.equal(fresh.length, 1);
});

test('a creation is replayed with the same answer after the upload has ended', async () => {
  const bytes = await paddedImage(6 * MIB);
  for (const fields of [{}, { upload_mode: 'multipart', part_size_bytes: 5 * MIB }]) {
    const key = { 'Idempotency-Key': randomUUID() };
    const first = await post('', uploadRequest(bytes, fields), key);
    assert.equal(first.status, 201, JSON.stringify(first.body));
    assert.equal((await abort(first.body.upload_id)).body.aborted, true);
    const replay = await post('', uploadRequest(bytes, fields), key);
    assert.deepEqual([replay.status, replay.headers.get('idempotency-replayed')], [201, 'true']);
    assert.deepEqual(replay.body, first.body);
  }
  const key = { 'Idempotency-Key': randomUUID() };
  const single = await post('', uploadRequest(bytes), key);
  await sent(single.body, bytes);
  assert.equal((await complete(single.body.upload_id)).status, 202);
  assert.deepEqual((await post('', uploadRequest(bytes), key)).body, single.body);
});

test('twenty equal completions with one Idempotency-Key make one file', async () => {
  const bytes = await paddedImage();
  const upload = await begin(bytes);
  await sent(upload, bytes);
  const key = { 'Idempotency-Key': `complete.${randomUUID()}` };
  const answers = await Promise.all(Array.from({ length: 20 }, () => complete(upload.upload_id, key)));
  const done = answers.filter(({ status }) => status === 202);
  assert.ok(done.length > 0);
  assert.equal(new Set(done.map(({ body }) => body.file_id)).size, 1);
  const replay = await complete(upload.upload_id, key);
  assert.equal(replay.headers.get('idempotency-replayed'), 'true');
  assert.equal(replay.body.file_id, done[0]?.body.file_id);
});

test('a key with another body is rejected; another tenant may use the same key', async () => {
  const bytes = await paddedImage();
  const key = { 'Idempotency-Key': randomUUID() };
  const first = await post('', uploadRequest(bytes), key);
  assert.deepEqual(refused(await post('', uploadRequest(bytes, { title: 'other' }), key)), [
    422,
    'IDEMPOTENCY_KEY_REUSED',
  ]);
  const stranger = createClient(run, run.tenants.starter.api_key);
  const theirs = await stranger.request('POST', '/files/direct-uploads', {
    body: JSON.stringify(uploadRequest(bytes)),
    headers: { 'Content-Type': 'application/json', ...key },
  });
  assert.equal(theirs.status, 201);
  assert.notEqual(theirs.body.upload_id, first.body.upload_id);
});

test('a rejected request can be repeated with its key', async () => {
  const bytes = await paddedImage();
  const upload = await begin(bytes);
  const key = { 'Idempotency-Key': randomUUID() };
  assert.deepEqual(refused(await complete(upload.upload_id, key)), [422, 'NOT_UPLOADED']);
  await sent(upload, bytes);
  assert.equal((await complete(upload.upload_id, key)).status, 202);
});

test('uploads of another tenant look absent', async () => {
  const upload = await begin(await paddedImage());
  const stranger = createClient(run, run.tenants.starter.api_key);
  const path = `/files/direct-uploads/${upload.upload_id}`;
  const asked = [
    await stranger.get(path),
    await stranger.post(`${path}/complete`, {}),
    await stranger.post(`${path}/parts/confirm`, { part_number: 1, etag: 'x', size_bytes: 1 }),
    await stranger.post(`${path}/parts/retry`, { part_number: 1 }),
    await stranger.request('DELETE', path),
    await client.get(`/files/direct-uploads/${randomUUID()}`),
    await client.get('/files/direct-uploads/nothing'),
  ];
  for (const { status, body } of asked) {
    assert.deepEqual([status, body.code, body.detail], [404, 'NOT_FOUND', 'upload not found']);
  }
  assert.equal((await intent(upload.upload_id)).status, 'PENDING');
});

test('ten thousand parts get their URLs in one response', async () => {
  const answer = await post('', {
    filename: 'huge.png',
    content_type: 'image/png',
    size_bytes: 10_000 * 5 * MIB,
    claimed_file_hash: 'a'.repeat(64),
    part_size_bytes: 5 * MIB,
  });
  assert.equal(answer.status, 201);
  assert.equal(answer.body.part_urls.length, 10_000);
  const first = await put(answer.body.part_urls[9_999].url, Buffer.alloc(5 * MIB));
  assert.equal(first.status, 200);
  await confirm(answer.body.upload_id, 10_000, first.etag, 5 * MIB);
  const missing = await complete(answer.body.upload_id);
  assert.deepEqual(refused(missing), [422, 'PARTS_MISSING']);
  assert.equal(missing.body.errors.length, 100);
  assert.match(missing.body.detail, /and 9899 more/);
  await abort(answer.body.upload_id);
});

const good = {
  filename: 'a.png',
  content_type: 'image/png',
  size_bytes: 10,
  claimed_file_hash: 'a'.repeat(64),
};
const CREATIONS: [string, Json, number, string, string?][] = [
  ['no fields', {}, 422, 'VALIDATION_FAILED', '/body/filename'],
  ['an empty name', { ...good, filename: ' ' }, 422, 'VALIDATION_FAILED', '/body/filename'],
  ['no bytes', { ...good, size_bytes: 0 }, 422, 'VALIDATION_FAILED', '/body/size_bytes'],
  ['half a byte', { ...good, size_bytes: 1.5 }, 422, 'VALIDATION_FAILED', '/body/size_bytes'],
  [
    'a hash that is too short',
    { ...good, claimed_file_hash: 'ab' },
    422,
    'VALIDATION_FAILED',
    '/body/claimed_file_hash',
  ],
  [
    'a hash in Base64',
    { ...good, claimed_file_hash: `${'A'.repeat(63)}=` },
    422,
    'VALIDATION_FAILED',
    '/body/claimed_file_hash',
  ],
  ['an unknown mode', { ...good, upload_mode: 'both' }, 422, 'VALIDATION_FAILED', '/body/upload_mode'],
  [
    'multipart of 10 bytes',
    { ...good, upload_mode: 'multipart' },
    422,
    'VALIDATION_FAILED',
    '/body/upload_mode',
  ],
  [
    'single_shot over 5 GB',
    { ...good, upload_mode: 'single_shot', size_bytes: 5 * 1024 * MIB + 1 },
    422,
    'VALIDATION_FAILED',
    '/body/size_bytes',
  ],
  [
    'more than 5 TB',
    { ...good, size_bytes: 5 * MIB * MIB + 1 },
    422,
    'VALIDATION_FAILED',
    '/body/size_bytes',
  ],
  [
    'parts below the minimum size',
    { ...good, size_bytes: 10 * MIB, part_size_bytes: 5 * MIB - 1 },
    422,
    'VALIDATION_FAILED',
    '/body/part_size_bytes',
  ],
  [
    'too many parts',
    { ...good, size_bytes: 1024 * 1024 * MIB, part_size_bytes: 5 * MIB },
    422,
    'VALIDATION_FAILED',
    '/body/part_size_bytes',
  ],
  [
    '21 tags',
    { ...good, tags: Array.from({ length: 21 }, (_, i) => `t${i}`) },
    422,
    'VALIDATION_FAILED',
    '/body/tags',
  ],
  ['an empty tag', { ...good, tags: ['a', ' '] }, 422, 'VALIDATION_FAILED', '/body/tags/1'],
  ['a tag of 51 characters', { ...good, tags: ['x'.repeat(51)] }, 422, 'VALIDATION_FAILED', '/body/tags/0'],
  [
    'a compliance type without a standard',
    { ...good, compliance_type: 'mls' },
    422,
    'VALIDATION_FAILED',
    '/body/compliance_standard',
  ],
  ['an unknown folder', { ...good, folder_id: randomUUID() }, 404, 'NOT_FOUND'],
  ['an unknown field', { ...good, sizeBytes: 10 }, 422, 'VALIDATION_FAILED', '/body/sizeBytes'],
  ['an unknown schema', { ...good, custom_schema_id: randomUUID() }, 400, 'CUSTOM_SCHEMA_NOT_FOUND'],
  ['a video in another container', { ...good, content_type: 'video/x-msvideo' }, 415, 'UNSUPPORTED_MEDIA'],
  ['a program', { ...good, content_type: 'application/x-msdownload' }, 415, 'UNSUPPORTED_MEDIA'],
];
for (const [what, body, status, code, pointer] of CREATIONS) {
  test(`an upload is rejected with ${what}`, async () => {
    const answer = await post('', body);
    assert.deepEqual(refused(answer), [status, code], JSON.stringify(answer.body));
    if (pointer) assert.ok(answer.body.errors.some((error: Json) => error.pointer === pointer));
  });
}

test('invalid parts and completions are rejected', async () => {
  const single = (await begin(await paddedImage())).upload_id;
  const bytes = await paddedImage(6 * MIB);
  const many = (await begin(bytes, { upload_mode: 'multipart', part_size_bytes: 5 * MIB })).upload_id;
  const table: [Promise<Answer>, number, string][] = [
    [confirm(single, 1, 'x', 1), 409, 'WRONG_UPLOAD_MODE'],
    [post(`/${single}/parts/retry`, { part_number: 1 }), 409, 'WRONG_UPLOAD_MODE'],
    [confirm(many, 0, 'x', 5 * MIB), 422, 'VALIDATION_FAILED'],
    [confirm(many, 3, 'x', 5 * MIB), 422, 'VALIDATION_FAILED'],
    [confirm(many, 1, 'x', 5), 422, 'VALIDATION_FAILED'],
    [confirm(many, 1, '', 5 * MIB), 422, 'VALIDATION_FAILED'],
    [confirm(many, 1, 'a\0b', 5 * MIB), 422, 'VALIDATION_FAILED'],
    [post(`/${many}/parts/retry`, { part_number: 3 }), 422, 'VALIDATION_FAILED'],
    [post(`/${many}/parts/retry`, { part_number: 1, all: true }), 422, 'VALIDATION_FAILED'],
    [post(`/${many}/complete`, { force: true }), 422, 'VALIDATION_FAILED'],
    [post(`/${many}/complete`, {}, { 'Idempotency-Key': 'a b' }), 422, 'VALIDATION_FAILED'],
    [post(`/${many}/complete`, {}, { 'Idempotency-Key': 'a'.repeat(129) }), 422, 'VALIDATION_FAILED'],
    [abort(many, `?reason=${'x'.repeat(256)}`), 422, 'VALIDATION_FAILED'],
  ];
  for (const [answer, status, code] of table) assert.deepEqual(refused(await answer), [status, code]);
});
