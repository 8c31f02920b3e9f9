import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { createClient, eventually, sharedRun, type Client, type Json } from '../support/api.ts';
import { paddedImage } from '../support/images.ts';

const run = sharedRun();
const client = createClient(run);
const starter = createClient(run, run.tenants.starter.api_key);

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

function send(path: string, files: [string, Buffer<ArrayBuffer>][], fields: Json = {}, by: Client = client) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
  for (const [name, bytes] of files) form.append(name, new Blob([bytes]), 'image.png');
  return by.request('POST', path, { body: form });
}
const stream = (bytes: Buffer<ArrayBuffer>, fields: Json = {}) =>
  send('/user-files/upload/stream', [['file', bytes]], fields);
const batch = (all: Buffer<ArrayBuffer>[], fields: Json = {}, by: Client = client) =>
  send(
    '/user-files/upload/stream-batch',
    all.map((bytes) => ['files', bytes]),
    fields,
    by,
  );
const described = (id: string): Promise<Json> =>
  eventually(async () => {
    const { body } = await client.get(`/user-files/${id}`);
    assert.ok(!['pending', 'queued', 'processing'].includes(body.description_status), JSON.stringify(body));
    return body;
  }, 60);
const ended = (id: string): Promise<Json> =>
  eventually(async () => {
    const { body } = await client.get(`/uploads/sessions/${id}/status`);
    assert.ok(body.completed_at, JSON.stringify(body));
    return body;
  }, 60);

test('a streamed file is the same file under both names', async () => {
  const bytes = await paddedImage();
  const { status, body } = await stream(bytes, { title: 'Old way', tags: 'a,b' });
  assert.equal(status, 201, JSON.stringify(body));
  const { image_id: id, object_key: key, processing_time_ms: elapsed, ...rest } = body;
  assert.ok(key.includes(id) && elapsed > 0);
  assert.deepEqual(rest, {
    upload_method: 'STREAMING',
    status: 'processing',
    store_upload_completed: true,
    variants_queued: true,
    description_queued: true,
    skipped: false,
    skipped_existing_image_id: null,
    storage_target: 'default',
    media_type: 'image',
    document_type: null,
    text_extraction_status: null,
  });

  const image = await described(id);
  assert.deepEqual([image.image_id, image.object_key, image.batch_id], [id, key, null]);
  assert.equal(image.description_status, 'completed');
  assert.equal(image.id, undefined);
  const file = await client.settled(id);
  assert.deepEqual([file.title, file.tags.slice(0, 2)], ['Old way', ['a', 'b']]);
  const legacy = (await client.get(`/uploads/status/${id}`)).body;
  const unified = (await client.get(`/files/uploads-status/${id}`)).body;
  assert.deepEqual(
    [legacy.image_id, legacy.unified_status, legacy.task_intent_ids, legacy.batch_id],
    [unified.file_id, 'completed', unified.processing_ids, null],
  );
  assert.match(legacy.tenant_id, /^[0-9a-f-]{36}$/);
  assert.deepEqual(legacy.component_statuses, {
    variant_status: 'completed',
    description_status: 'completed',
    extraction_status: 'skipped',
    upload_intent_status: 'completed',
    task_intent_status: 'completed',
  });

  const again = (await stream(bytes, { skip_duplicates: 'true' })).body;
  assert.deepEqual(
    [again.status, again.skipped, again.skipped_existing_image_id, again.object_key],
    ['skipped', true, id, key],
  );
  const hashes = [sha256(bytes), randomBytes(32).toString('hex')];
  const checked = (await client.post('/uploads/check-duplicates', { hashes })).body;
  assert.deepEqual(checked.duplicates, [{ hash: hashes[0], image_id: id, filename: 'image.png' }]);
  assert.deepEqual(checked.unique, [hashes[1]]);
});

test('an invalid stream is rejected, and only legacy fields are read', async () => {
  assert.equal((await stream(Buffer.from('#!/bin/sh\n'))).status, 415);
  assert.equal((await stream(Buffer.alloc(0))).status, 422);
  assert.equal((await stream(await paddedImage(), { auto_describe: 'perhaps' })).status, 422);
  assert.equal((await stream(await paddedImage(), { storage_target: 'custom' })).status, 400);
  assert.equal((await client.post('/user-files/upload/stream', {})).status, 400);
  const { body } = await stream(await paddedImage(), { auto_describe: 'false', folder_id: randomUUID() });
  assert.deepEqual([body.status, body.description_queued], ['processing', false]);
});

test('a streamed batch is a session under both names', async () => {
  const good = await paddedImage();
  const { status, body } = await batch([good, Buffer.from('no image'), await paddedImage()], {
    intent: 'verify',
    verification_level: 'thorough',
    tags: 'old',
  });
  assert.equal(status, 201, JSON.stringify(body));
  const id = body.session_id;
  assert.equal(body.status_url, `/api/v2/uploads/sessions/${id}/status`);
  assert.equal(body.websocket_channel, `batch.${id}`);
  // The requested mode is not the one used, and the response says so.
  assert.equal(body.intent, 'describe');
  assert.deepEqual(
    [body.total_files, body.accepted_files, body.rejected_files, body.status],
    [3, 2, 1, 'partial'],
  );
  assert.deepEqual(
    body.immediate_results.map((entry: Json) => [
      entry.status,
      entry.image_id !== null,
      entry.object_key !== null,
    ]),
    [
      ['processing', true, true],
      ['failed', false, false],
      ['processing', true, true],
    ],
  );
  assert.deepEqual(Object.keys(body.rejections[0]).toSorted(), [
    'code',
    'filename',
    'index',
    'reason',
    'retryable',
  ]);
  assert.equal(body.rejections[0].code, 'UNSUPPORTED_MEDIA');

  const session = await ended(id);
  assert.deepEqual([session.status, session.completed_files, session.failed_files], ['completed', 2, 1]);
  assert.equal(session.results_url, `/api/v2/uploads/sessions/${id}/results`);
  assert.ok(session.recent_completions.every((entry: Json) => entry.image_id && !('file_id' in entry)));
  const results = (await client.get(`/uploads/sessions/${id}/results?include_failed=false`)).body;
  assert.deepEqual(
    results.results.map(({ image_id, object_key }: Json) => [image_id, object_key]),
    [0, 2].map((index) => {
      const { image_id, object_key } = body.immediate_results[index];
      return [image_id, object_key];
    }),
  );
  assert.equal((await client.get(`/uploads/status/${results.results[0].image_id}`)).body.batch_id, id);
  const summary = (await client.get(`/uploads/batch/${id}/status`)).body;
  assert.deepEqual(
    [summary.batch_id, summary.overall_status, summary.completion_percentage, summary.counts.completed],
    [id, 'completed', 100, 2],
  );
  assert.equal(
    summary.tenant_id,
    (await client.get(`/uploads/status/${results.results[0].image_id}`)).body.tenant_id,
  );
  const list = (await client.get('/uploads/sessions?limit=100&upload_method=streaming')).body;
  assert.equal(list.items, undefined);
  assert.ok(list.sessions.some((entry: Json) => entry.session_id === id && entry.completed_files === 2));
  assert.deepEqual(list.has_more, list.total_count > list.sessions.length);

  const cancelled = await client.post(`/uploads/sessions/${id}/cancel`, {});
  assert.deepEqual([cancelled.status, cancelled.body.code], [400, 'UPLOAD_SESSION_ENDED']);
});

test('the number of files is limited by the legacy tier', async () => {
  const bytes = await Promise.all(Array.from({ length: 22 }, () => paddedImage()));
  const { body } = await batch(bytes, { auto_describe: 'false' }, starter);
  assert.deepEqual([body.total_files, body.accepted_files, body.rejected_files], [22, 20, 2]);
  assert.deepEqual(
    body.rejections.map(({ index }: Json) => index),
    [20, 21],
  );
  const cancelled = await starter.post(`/uploads/sessions/${body.session_id}/cancel`, {});
  if (cancelled.status === 200) assert.equal(cancelled.body.status, 'cancelled');
  else assert.equal(cancelled.body.code, 'UPLOAD_SESSION_ENDED');
});

test('a batch that requests an unsupported feature is rejected as a whole', async () => {
  const one = [await paddedImage()];
  assert.equal((await batch(one, { intent: 'dance' })).status, 422);
  assert.equal((await batch(one, { verification_level: 'some' })).status, 422);
  assert.equal((await batch(one, { storage_target: 'custom' })).status, 400);
  assert.equal((await batch([])).status, 422);
});

test('quota and duplicates are checked within the legacy limits', async () => {
  const { status, body } = await starter.get('/uploads/quota-check?file_count=3');
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body).toSorted(), [
    'available',
    'can_proceed',
    'current_usage',
    'message',
    'monthly_limit',
    'requested',
  ]);
  const short = (await starter.get('/uploads/quota-check?file_count=1000000')).body;
  assert.equal(short.can_proceed, false);
  assert.match(short.message, /short\)$/);
  for (const bad of ['', '?file_count=0', '?file_count=x'])
    assert.equal((await client.get(`/uploads/quota-check${bad}`)).status, 422);

  const hashes = Array.from({ length: 201 }, () => randomBytes(32).toString('hex'));
  const check = (some: unknown) => client.post('/uploads/check-duplicates', { hashes: some });
  assert.deepEqual((await check(hashes.slice(1))).body, { duplicates: [], unique: hashes.slice(1) });
  for (const bad of [hashes, [], ['a'], 7]) assert.equal((await check(bad)).status, 422);
});

test('stuck files are listed under both names', async () => {
  for (const path of ['/files/sessions/stuck', '/uploads/stuck-uploads']) {
    const { status, body } = await client.get(`${path}?stuck_minutes=525600`);
    assert.deepEqual([status, body], [200, { stuck_count: 0, images: [] }]);
    for (const bad of ['stuck_minutes=0', 'limit=0', 'limit=501'])
      assert.equal((await client.get(`${path}?${bad}`)).status, 422, bad);
  }
});

test('foreign resources look absent', async () => {
  const { image_id: image } = (await stream(await paddedImage(), { auto_describe: 'false' })).body;
  const { session_id: session } = (await batch([await paddedImage()], { auto_describe: 'false' })).body;
  const paths = (file: string, batchId: string) => [
    `/user-files/${file}`,
    `/uploads/status/${file}`,
    `/uploads/sessions/${batchId}/status`,
    `/uploads/sessions/${batchId}/results`,
    `/uploads/batch/${batchId}/status`,
  ];
  const absent = paths(randomUUID(), randomUUID());
  for (const [index, path] of paths(image, session).entries()) {
    assert.equal((await client.get(path)).status, 200, path);
    const foreign = await starter.get(path);
    const none = await starter.get(absent[index] ?? '');
    assert.deepEqual([foreign.status, foreign.body.detail], [404, none.body.detail], path);
  }
  assert.equal((await starter.post(`/uploads/sessions/${session}/cancel`, {})).status, 404);
  assert.equal((await client.get('/user-files/no-id')).status, 404);
});
