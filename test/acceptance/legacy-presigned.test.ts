import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { createClient, eventually, sharedRun, type Answer, type Client, type Json } from '../support/api.ts';
import { paddedImage } from '../support/images.ts';

const run = sharedRun();
const client = createClient(run);
const starter = createClient(run, run.tenants.starter.api_key);
const professional = createClient(run, run.tenants.professional.api_key);

const images = (count: number) => Promise.all(Array.from({ length: count }, () => paddedImage()));
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const announced = (bytes: Uint8Array, fields: Json = {}) => ({
  filename: 'old.png',
  content_type: 'image/png',
  size_bytes: bytes.length,
  ...fields,
});
const refused = ({ status, body }: Answer) => [status, body.code];

async function put(
  { upload_url: url, upload_headers: headers }: Json,
  bytes: Buffer<ArrayBuffer>,
): Promise<number> {
  const response = await fetch(url, { method: 'PUT', headers, body: bytes });
  await response.body?.cancel();
  return response.status;
}
async function request(bytes: Buffer<ArrayBuffer>, fields: Json = {}): Promise<Json> {
  const { status, body } = await client.post('/uploads/request-presigned-url', announced(bytes, fields));
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}
const confirm = (upload: Json, bytes: Uint8Array, fields: Json = {}, by: Client = client) =>
  by.post('/uploads/confirm', { object_key: upload.object_key, size_bytes: bytes.length, ...fields });

async function prepare(all: Uint8Array[], fields: Json = {}, by: Client = client): Promise<Json> {
  const files = all.map((bytes, index) => announced(bytes, { filename: `old-${index}.png` }));
  const { status, body } = await by.post('/uploads/batch-prepare', { files, ...fields });
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}
const success = (upload: Json, fields: Json = {}) => ({
  object_key: upload.object_key,
  success: true,
  ...fields,
});
const confirmBatch = (batch: Json, confirmations: Json[], fields: Json = {}, by: Client = client) =>
  by.post('/uploads/batch-confirm', { batch_id: batch.batch_id, confirmations, ...fields });
const statusOf = async (id: string): Promise<Json> => (await client.get(`/uploads/status/${id}`)).body;

test('an image uploaded to a presigned URL becomes a file once it is confirmed', async () => {
  const bytes = await paddedImage();
  const upload = await request(bytes, { content_type: 'image/png', purpose: 'image_analysis' });
  assert.deepEqual(
    [upload.upload_method, upload.upload_fields, upload.storage_target],
    ['PUT', null, 'default'],
  );
  assert.equal(upload.max_size_bytes, bytes.length);
  assert.match(upload.bucket_name, /^darkroom/);
  const seconds = (Date.parse(upload.expires_at) - Date.now()) / 1000;
  assert.ok(seconds > 500 && seconds <= 600, String(seconds));
  assert.equal((await statusOf(upload.image_id)).unified_status, 'uploading');
  for (const path of ['files', 'user-files']) {
    const early = await client.get(`/${path}/${upload.image_id}`);
    assert.deepEqual([early.status, early.body.primary_status], [200, 'pending'], JSON.stringify(early.body));
    assert.match(early.body.explanation, /waits for its bytes/);
    assert.equal((await starter.get(`/${path}/${upload.image_id}`)).status, 404);
  }
  assert.deepEqual(refused(await confirm(upload, bytes)), [422, 'NOT_UPLOADED']);

  assert.ok((await put(upload, bytes.subarray(1))) >= 400);
  assert.ok((await put({ ...upload, upload_headers: { 'Content-Type': 'text/html' } }, bytes)) >= 400);
  assert.equal(await put(upload, bytes), 200);
  const { status, body } = await confirm(upload, bytes, {
    checksum: `sha256:${sha256(bytes).toUpperCase()}`,
  });
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(
    [body.confirmed, body.object_key, body.image_id],
    [true, upload.object_key, upload.image_id],
  );
  assert.match(body.storage_path, /^darkroom\/tenants\//);

  const file = await client.settled(body.image_id);
  const asImage = (await client.get(`/user-files/${body.image_id}`)).body;
  assert.equal(asImage.object_key, upload.object_key);
  assert.notEqual(body.storage_path, `darkroom/${upload.object_key}`);
  assert.deepEqual([file.primary_status, file.description_status], ['completed', 'completed']);
  assert.ok((await client.follow(`/files/${file.id}/download`)).bytes.equals(bytes));
  assert.equal((await statusOf(upload.image_id)).unified_status, 'completed');
  assert.deepEqual((await confirm(upload, bytes)).body, body);
  assert.deepEqual(refused(await confirm(upload, bytes, { checksum: `sha256:${'0'.repeat(64)}` })), [
    409,
    'HASH_MISMATCH',
  ]);
  const { duplicates } = (await client.post('/uploads/check-duplicates', { hashes: [sha256(bytes)] })).body;
  assert.equal(duplicates[0].image_id, file.id);
});

test('without a checksum the service computes one; a wrong one is rejected, and the right one is then accepted', async () => {
  const bytes = await paddedImage();
  const upload = await request(bytes);
  assert.equal(await put(upload, bytes), 200);
  assert.deepEqual(refused(await confirm(upload, bytes.subarray(1))), [409, 'SIZE_MISMATCH']);
  assert.deepEqual(refused(await confirm(upload, bytes, { checksum: `sha256:${'1'.repeat(64)}` })), [
    409,
    'HASH_MISMATCH',
  ]);
  assert.equal((await statusOf(upload.image_id)).unified_status, 'uploading');
  const right = await confirm(upload, bytes, { checksum: `sha256:${sha256(bytes)}` });
  assert.deepEqual([right.status, right.body.confirmed], [200, true], JSON.stringify(right.body));

  const other = await paddedImage();
  const again = await request(other);
  assert.equal(await put(again, other), 200);
  assert.equal((await confirm(again, other, { checksum: `sha256:${sha256(bytes)}` })).status, 409);
  assert.equal((await confirm(again, other)).body.confirmed, true);
  const { duplicates } = (await client.post('/uploads/check-duplicates', { hashes: [sha256(other)] })).body;
  assert.equal(duplicates[0].image_id, again.image_id);

  const script = Buffer.from('#!/bin/sh\necho no image\n');
  const bad = await request(script);
  assert.equal(await put(bad, script), 200);
  assert.deepEqual(refused(await confirm(bad, script)), [415, 'UNSUPPORTED_MEDIA']);
  const status = await statusOf(bad.image_id);
  assert.deepEqual([status.unified_status, status.is_terminal], ['failed', true]);
  assert.match(status.error_message, /not accepted/);
});

test('a request is idempotent by the key in its body', async () => {
  const bytes = await paddedImage();
  const key = randomUUID();
  const first = await request(bytes, { idempotency_key: key });
  assert.deepEqual(await request(bytes, { idempotency_key: key }), first);
  const other = announced(bytes, { idempotency_key: key, filename: 'other.png' });
  assert.deepEqual(refused(await client.post('/uploads/request-presigned-url', other)), [
    422,
    'IDEMPOTENCY_KEY_REUSED',
  ]);
  assert.notEqual((await request(bytes)).object_key, (await request(bytes)).object_key);

  const files = [
    announced(bytes, { idempotency_key: randomUUID() }),
    announced(bytes, { idempotency_key: randomUUID() }),
  ];
  const batches = await Promise.all([1, 2].map(() => client.post('/uploads/batch-prepare', { files })));
  const made = batches.filter(({ status }) => status === 200);
  for (const { status, body } of batches) assert.ok(status === 200 || body.code === 'REQUEST_IN_FLIGHT');
  const repeated = await client.post('/uploads/batch-prepare', { files });
  assert.deepEqual(repeated.body, made[0]?.body);
});

test('invalid requests are rejected by field', async () => {
  const bytes = await paddedImage();
  const ask = (fields: Json) => client.post('/uploads/request-presigned-url', announced(bytes, fields));
  for (const [field, value] of [
    ['content_type', 'application/pdf'],
    ['size_bytes', 0],
    ['size_bytes', 6 * 1024 ** 3],
    ['filename', ''],
    ['idempotency_key', 'a b'],
    ['file_name', 'a.png'],
  ] as const) {
    const { status, body } = await ask({ [field]: value });
    assert.deepEqual([status, body.errors[0].pointer], [422, `/body/${field}`]);
  }
  assert.deepEqual(refused(await ask({ storage_target: 'custom' })), [400, 'STORAGE_NOT_CONFIGURED']);
  assert.equal((await ask({ content_type: 'image/jpg' })).status, 200);

  const prepared = (files: unknown, more: Json = {}) =>
    client.post('/uploads/batch-prepare', { files, ...more });
  const one = announced(bytes);
  for (const files of [[], Array.from({ length: 6 }, () => one), [{ ...one, size_bytes: 'x' }], undefined])
    assert.equal((await prepared(files)).status, 422);
  assert.equal((await prepared([one], { intent: 'dance' })).status, 422);
  assert.equal((await prepared([{ ...one, content_type: 'application/zip' }])).status, 415);
  assert.deepEqual(refused(await prepared([{ ...one, storage_target: 'custom' }])), [
    400,
    'STORAGE_NOT_CONFIGURED',
  ]);
  const { body } = await prepared([one, { ...one, size_bytes: 6 * 1024 ** 3 }]);
  assert.equal(body.errors[0].pointer, '/body/files/1/size_bytes');

  const misspelt = await prepared([one, { ...one, key: 'a' }], { intents: [] });
  assert.deepEqual(
    misspelt.body.errors.map(({ pointer }: Json) => pointer),
    ['/body/files/1/key', '/body/intents'],
  );

  const upload = await request(bytes);
  for (const fields of [{ sha256: 'ab' }, { checksum: 'md5:1' }, { object_key: '' }, { size_bytes: -1 }])
    assert.equal((await confirm(upload, bytes, fields)).status, 422, JSON.stringify(fields));
  assert.deepEqual(refused(await confirm({ object_key: 'tenants/x' }, bytes)), [404, 'NOT_FOUND']);
});

test('a presigned batch is a session that counts its files as they are confirmed', async () => {
  const bytes = await images(3);
  const batch = await prepare(bytes, {
    intent: 'document_extraction',
    verification_level: 'quick',
    additional_params: { prompt: 'in verse' },
  });
  assert.equal(batch.intent, 'describe');
  assert.equal(
    batch.total_size_bytes,
    bytes.reduce((sum, { length }) => sum + length, 0),
  );
  assert.ok(batch.upload_plan.max_concurrent >= 1 && batch.estimated_time_seconds >= 1);
  const urls: Json[] = batch.presigned_urls;
  assert.deepEqual(
    urls.map(({ file_index, filename }) => [file_index, filename]),
    [0, 1, 2].map((index) => [index, `old-${index}.png`]),
  );
  const session = async () => (await client.get(`/uploads/sessions/${batch.batch_id}/status`)).body;
  assert.deepEqual(
    [(await session()).status, (await session()).upload_method, (await session()).pending_files],
    ['pending', 'presigned', 3],
  );
  const pending = (await client.get('/uploads/pending-batches')).body;
  const mine = pending.batches.find((entry: Json) => entry.batch_id === batch.batch_id);
  assert.deepEqual([mine.status, mine.total_files, mine.confirmed_count], ['pending', 3, 0]);
  assert.equal(pending.has_recoverable, true);
  assert.equal((await client.get(`/uploads/batch/${batch.batch_id}/status`)).body.counts.uploading, 3);

  for (const index of [0, 1]) assert.equal(await put(urls[index], bytes[index] as Buffer<ArrayBuffer>), 200);
  const first = await confirmBatch(batch, [success(urls[0], { file_size: bytes[0]?.length })]);
  assert.equal(first.status, 200, JSON.stringify(first.body));
  assert.deepEqual(
    [first.body.successful_uploads, first.body.failed_uploads, first.body.processing_status],
    [1, 0, 'queued'],
  );
  assert.match(first.body.message, /2 of the batch are not confirmed yet/);
  const [stored] = first.body.stored_images;
  assert.deepEqual([stored.image_id, stored.object_key], [urls[0].image_id, urls[0].object_key]);
  assert.equal((await session()).status, 'uploading');

  const rest = await confirmBatch(batch, [
    success(urls[1], { checksum: `sha256:${sha256(bytes[1] as Buffer)}`, media_type: 'image' }),
    { object_key: urls[2].object_key, success: false, error_message: 'the wire was cut' },
  ]);
  assert.deepEqual(
    [rest.body.successful_uploads, rest.body.failed_uploads, rest.body.processing_status],
    [1, 1, 'partial'],
  );
  const [failed] = rest.body.failed_files;
  assert.deepEqual(
    [failed.object_key, failed.filename, failed.retryable],
    [urls[2].object_key, 'old-2.png', true],
  );
  assert.match(failed.error, /the wire was cut/);
  assert.equal(rest.body.message, '1 of 2 uploads confirmed; 1 failed');

  const ended = await client.sessionEnded(batch.batch_id);
  assert.deepEqual([ended.status, ended.completed_files, ended.failed_files], ['completed', 2, 1]);
  const results = (await client.get(`/uploads/sessions/${batch.batch_id}/results`)).body.results;
  assert.deepEqual(
    results.map(({ status }: Json) => status),
    ['completed', 'completed', 'failed'],
  );
  assert.match(results[0].description, /\w/);
  assert.deepEqual(
    results.map(({ object_key }: Json) => object_key),
    urls.map(({ object_key }) => object_key),
  );
  const again = (
    await confirmBatch(
      batch,
      urls.map((url) => success(url)),
    )
  ).body;
  assert.deepEqual(
    [again.processing_status, again.successful_uploads, again.failed_uploads],
    ['already_processed', 2, 1],
  );
  assert.equal((await statusOf(urls[0].image_id)).batch_id, batch.batch_id);
  assert.equal((await statusOf(urls[2].image_id)).unified_status, 'failed');
  const left = (await client.get('/uploads/pending-batches')).body.batches;
  assert.ok(!left.some((entry: Json) => entry.batch_id === batch.batch_id));
  const listed = (await client.get('/files/sessions?upload_method=presigned&limit=100')).body.items;
  assert.ok(listed.some((entry: Json) => entry.session_id === batch.batch_id));
});

test('a file of a batch can be confirmed again after a wrong checksum or size', async () => {
  const bytes = await images(2);
  const batch = await prepare(bytes);
  const urls: Json[] = batch.presigned_urls;
  for (const index of [0, 1]) assert.equal(await put(urls[index], bytes[index] as Buffer<ArrayBuffer>), 200);
  const wrong = [
    success(urls[0], { checksum: `sha256:${'1'.repeat(64)}` }),
    success(urls[1], { file_size: 1 }),
  ];
  for (let time = 0; time < 2; time++) {
    const { body } = await confirmBatch(batch, wrong);
    assert.deepEqual(
      [body.processing_status, body.successful_uploads, body.failed_uploads],
      ['failed', 0, 2],
      JSON.stringify(body),
    );
    assert.deepEqual(
      body.failed_files.map(({ object_key, retryable }: Json) => [object_key, retryable]),
      urls.map(({ object_key }) => [object_key, true]),
    );
    assert.match(body.failed_files[0].error, /SHA-256/);
    assert.match(body.message, /2 of the batch are not confirmed yet/);
  }
  const first = await confirmBatch(batch, [
    success(urls[0], { checksum: `sha256:${sha256(bytes[0] as Buffer)}` }),
    wrong[1],
  ]);
  assert.deepEqual([first.body.processing_status, first.body.successful_uploads], ['partial', 1]);
  const { body } = await client.post(`/uploads/batch/${batch.batch_id}/auto-recover`, {});
  assert.deepEqual([body.status, body.recovered_files, body.failed_files], ['recovered', 1, 0]);
  const ended = await client.sessionEnded(batch.batch_id);
  assert.deepEqual([ended.status, ended.completed_files, ended.failed_files], ['completed', 2, 0]);
});

test('a confirmed file that is missing or different fails without affecting the others', async () => {
  const bytes = await images(2);
  const script = Buffer.from('#!/bin/sh\necho no image\n');
  const batch = await prepare([...bytes, script]);
  const urls: Json[] = batch.presigned_urls;
  assert.equal(await put(urls[1], bytes[1] as Buffer<ArrayBuffer>), 200);
  assert.equal(await put(urls[2], script), 200);
  const { body } = await confirmBatch(
    batch,
    urls.map((url) => success(url)),
    { auto_process: false },
  );
  assert.deepEqual([body.successful_uploads, body.failed_uploads, body.processing_status], [1, 2, 'partial']);
  assert.deepEqual(
    body.failed_files.map(({ filename, retryable }: Json) => [filename, retryable]),
    [
      ['old-0.png', true],
      ['old-2.png', false],
    ],
  );
  const ended = await client.sessionEnded(batch.batch_id);
  assert.deepEqual([ended.status, ended.completed_files, ended.failed_files], ['completed', 1, 2]);
  const file = (await client.get(`/files/${urls[1].image_id}`)).body;
  assert.deepEqual([file.variant_status, file.description_status], ['completed', 'skipped']);

  const nothing = await prepare([await paddedImage()]);
  const all = (await confirmBatch(nothing, [success(nothing.presigned_urls[0])])).body;
  assert.deepEqual([all.processing_status, all.stored_images], ['failed', []]);
  assert.equal((await client.sessionEnded(nothing.batch_id)).status, 'failed');
});

test('concurrent confirmations create each file once', async () => {
  const bytes = await images(5);
  const batch = await prepare(bytes);
  const urls: Json[] = batch.presigned_urls;
  await Promise.all(urls.map((url, index) => put(url, bytes[index] as Buffer<ArrayBuffer>)));
  const answers = await Promise.all(
    Array.from({ length: 4 }, () =>
      confirmBatch(
        batch,
        urls.map((url) => success(url)),
      ),
    ),
  );
  for (const { status, body } of answers) {
    if (status === 409) assert.equal(body.code, 'CONFIRMATION_IN_PROGRESS');
    else assert.ok(['queued', 'already_processed'].includes(body.processing_status), JSON.stringify(body));
  }
  assert.equal(answers.filter(({ body }) => body.processing_status === 'queued').length, 1);
  const ended = await client.sessionEnded(batch.batch_id);
  assert.deepEqual([ended.status, ended.total_files, ended.completed_files], ['completed', 5, 5]);
  for (const one of bytes) {
    const { duplicates } = (await client.post('/uploads/check-duplicates', { hashes: [sha256(one)] })).body;
    assert.equal(duplicates.length, 1);
  }
});

test('a batch whose client vanished is recovered from the store', async () => {
  const bytes = await images(3);
  const batch = await prepare(bytes);
  const urls: Json[] = batch.presigned_urls;
  const recover = (id: string, by: Client = client) => by.post(`/uploads/batch/${id}/auto-recover`, {});
  const early = (await recover(batch.batch_id)).body;
  assert.deepEqual([early.status, early.recovered_files], ['nothing_to_recover', 0]);
  for (const index of [0, 2]) assert.equal(await put(urls[index], bytes[index] as Buffer<ArrayBuffer>), 200);
  const { body } = await recover(batch.batch_id);
  assert.deepEqual([body.status, body.recovered_files, body.failed_files], ['recovered', 2, 1]);
  const ended = await client.sessionEnded(batch.batch_id);
  assert.deepEqual([ended.status, ended.completed_files, ended.failed_files], ['completed', 2, 1]);
  assert.equal((await recover(batch.batch_id)).body.status, 'already_processed');
  for (const id of [randomUUID(), 'no-id']) assert.equal((await recover(id)).body.status, 'not_found');
  assert.equal((await recover(batch.batch_id, starter)).body.status, 'not_found');
});

test('a cancelled batch accepts no more confirmations', async () => {
  const bytes = await paddedImage();
  const batch = await prepare([bytes]);
  const [url] = batch.presigned_urls;
  assert.equal(await put(url, bytes), 200);
  const { body } = await client.post(`/uploads/sessions/${batch.batch_id}/cancel`, {});
  const counts = [body.status, body.pending_files, body.failed_files, body.in_flight_files];
  assert.deepEqual(counts, ['cancelled', 1, 0, 0]);
  assert.deepEqual((await client.get(`/uploads/sessions/${batch.batch_id}/status`)).body, body);
  assert.equal((await confirmBatch(batch, [success(url)])).body.processing_status, 'already_processed');
  assert.deepEqual(refused(await confirm(url, bytes)), [409, 'UPLOAD_ABORTED']);
  const file = (await client.get(`/files/${url.image_id}`)).body;
  assert.equal(file.primary_status, 'failed');
  assert.match(file.explanation, /there is no file.*the session was cancelled/);
});

test('a recent batch is not cleaned up', async () => {
  const batch = await prepare([await paddedImage()]);
  const { status, body } = await client.post('/uploads/cleanup-stale-batches', {});
  assert.equal(status, 200);
  assert.deepEqual(body, { cleaned_count: 0, message: '0 batches expired' });
  assert.equal((await client.get(`/uploads/sessions/${batch.batch_id}/status`)).body.status, 'pending');
});

test('a tenant may have 20 waiting batches', async () => {
  const bytes = await paddedImage();
  const files = [announced(bytes)];
  const waiting: Answer[] = [];
  for (let count = 0; count < 20; count += 1) {
    waiting.push(await professional.post('/uploads/batch-prepare', { files }));
  }
  assert.ok(
    waiting.every(({ status }) => status === 200),
    JSON.stringify(waiting.at(-1)?.body),
  );
  const refusal = await professional.post('/uploads/batch-prepare', { files });
  assert.deepEqual(refused(refusal), [429, 'TOO_MANY_BATCHES']);
  assert.ok(Number(refusal.headers.get('retry-after')) > 0);
  for (const { body } of waiting) {
    const { status } = await professional.post(`/uploads/sessions/${body.batch_id}/cancel`, {});
    assert.equal(status, 200);
  }
  assert.equal((await professional.post('/uploads/batch-prepare', { files })).status, 200);
});

test('foreign batches look absent, and files outside the batch are rejected', async () => {
  const bytes = await paddedImage();
  const batch = await prepare([bytes]);
  const [url] = batch.presigned_urls;
  for (const [answer, none] of [
    [
      await confirmBatch(batch, [success(url)], {}, starter),
      await confirmBatch({ batch_id: randomUUID() }, [success(url)], {}, starter),
    ],
    [
      await confirm(url, bytes, {}, starter),
      await confirm({ object_key: `${url.object_key.slice(0, -36)}${randomUUID()}` }, bytes),
    ],
  ] as const) {
    assert.deepEqual([answer.status, answer.body.detail], [404, none.body.detail]);
    assert.equal(none.status, 404);
  }
  assert.equal((await starter.get(`/uploads/status/${url.image_id}`)).status, 404);
  assert.equal((await starter.get(`/uploads/batch/${batch.batch_id}/status`)).status, 404);
  const other = await request(bytes);
  for (const confirmations of [
    [success(other)],
    [success(url), success(url)],
    [],
    [{ object_key: url.object_key }],
  ])
    assert.equal((await confirmBatch(batch, confirmations)).status, 422, JSON.stringify(confirmations));
  const streamed = await client.batch([{ bytes }], { auto_describe: 'false' });
  assert.equal((await confirmBatch({ batch_id: streamed.body.session_id }, [success(url)])).status, 404);
  assert.equal((await statusOf(url.image_id)).unified_status, 'uploading');
});

test('an upload of a batch that is completed by the newer endpoints counts in the batch', async () => {
  const bytes = await images(2);
  const batch = await prepare(bytes);
  const [first, second] = batch.presigned_urls;
  assert.equal(await put(first, bytes[0] as Buffer<ArrayBuffer>), 200);
  const idOf = ({ object_key: key }: Json) => key.split('/').at(-1);
  const done = await client.post(`/files/direct-uploads/${idOf(first)}/complete`, {});
  assert.equal(done.status, 202, JSON.stringify(done.body));
  assert.equal(
    (await client.delete(`/files/direct-uploads/${idOf(second)}?reason=enough`)).body.aborted,
    true,
  );
  const ended = await eventually(() => client.sessionEnded(batch.batch_id));
  assert.deepEqual([ended.status, ended.completed_files, ended.failed_files], ['completed', 1, 1]);
  assert.match(ended.recent_errors[0].error, /enough/);
});
