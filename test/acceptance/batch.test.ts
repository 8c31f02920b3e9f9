import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { assertCountsAddUp, createClient, eventually, sharedRun, type Json } from '../support/api.ts';
import { images } from '../support/images.ts';

const run = sharedRun();
const client = createClient(run);
const starter = createClient(run, run.tenants.starter.api_key);

const quick = { auto_describe: 'false' };

test('a batch is one session whose files are processed independently', async () => {
  const files = await images(3);
  const { status, body } = await client.batch(files, { tags: 'one,two', content_category: 'artwork' });
  assert.equal(status, 201, JSON.stringify(body));
  assert.deepEqual(
    [body.total_files, body.accepted_files, body.rejected_files, body.status, body.rejections],
    [3, 3, 0, 'processing', []],
  );
  const id = body.session_id;
  assert.equal(body.status_url, `/api/v2/files/sessions/${id}/status`);
  assert.equal(body.websocket_channel, `batch.${id}`);
  assert.deepEqual(
    body.immediate_results.map(({ filename, status, media_type }: Json) => [filename, status, media_type]),
    files.map(({ filename }) => [filename, 'completed', 'image']),
  );

  const session = await client.sessionEnded(id);
  assert.equal(session.status, 'completed');
  assert.equal(session.upload_method, 'streaming');
  assert.deepEqual(
    [session.total_files, session.completed_files, session.pending_files, session.progress_percentage],
    [3, 3, 0, 100],
  );
  assert.ok(session.completed_at >= session.created_at);
  assert.equal(session.recent_completions.length, 3);
  assert.match(session.recent_completions[0].description, /\w/);
  assert.deepEqual(session.recent_errors, []);

  const fileId = body.immediate_results[1].file_id;
  const file = (await client.get(`/files/${fileId}`)).body;
  assert.equal(file.primary_status, 'completed');
  assert.equal(file.filename, 'image-1.jpg');
  assert.equal(file.content_category, 'artwork');
  assert.deepEqual(file.tags.slice(0, 2), ['one', 'two']);

  const results = (await client.get(`/files/sessions/${id}/results`)).body;
  assert.deepEqual(results.summary, {
    total_files: 3,
    completed: 3,
    failed: 0,
    skipped: 0,
    cancelled: 0,
  });
  assert.deepEqual(
    results.results.map(({ filename, status }: Json) => [filename, status]),
    files.map(({ filename }) => [filename, 'completed']),
  );
  assert.match(results.results[0].thumbnail_url, /^http/);
});

test('an invalid file is rejected with its reason, and the others are processed', async () => {
  const [good, other] = await images(2);
  assert.ok(good && other);
  const { status, body } = await client.batch(
    [
      good,
      { bytes: Buffer.from('#!/bin/sh\nrm -rf /\n'), filename: 'run.sh' },
      { bytes: Buffer.alloc(0), filename: 'empty.png' },
      other,
    ],
    quick,
  );
  assert.equal(status, 201);
  assert.deepEqual(
    [body.total_files, body.accepted_files, body.rejected_files, body.status],
    [4, 2, 2, 'partial'],
  );
  assert.deepEqual(
    body.rejections.map(({ filename, index, retryable }: Json) => [filename, index, retryable]),
    [
      ['run.sh', 1, false],
      ['empty.png', 2, false],
    ],
  );
  assert.match(body.rejections[0].reason, /not accepted; send JPEG, .*PDF, DOCX, TXT, MD, .*MKV$/);
  assert.equal(body.rejections[0].code, 'UNSUPPORTED_MEDIA');
  assert.deepEqual(
    body.immediate_results.map(({ status }: Json) => status),
    ['completed', 'failed', 'failed', 'completed'],
  );
  const session = await client.sessionEnded(body.session_id);
  assert.deepEqual([session.status, session.completed_files, session.failed_files], ['completed', 2, 2]);
  assert.deepEqual(session.recent_errors.map(({ index }: Json) => index).toSorted(), [1, 2]);
  assertCountsAddUp(session);
  const kept = (await client.get(`/files/sessions/${body.session_id}/results?include_failed=false`)).body;
  assert.deepEqual([kept.total_count, kept.results.length], [2, 2]);
});

test('a batch of only invalid files is rejected, and its session failed', async () => {
  const { status, body } = await client.batch([{ bytes: Buffer.from('no image'), filename: 'a.jpg' }]);
  assert.deepEqual([status, body.status, body.accepted_files], [201, 'rejected', 0]);
  const session = await client.sessionEnded(body.session_id);
  assert.deepEqual([session.status, session.failed_files], ['failed', 1]);
});

test('duplicates are skipped on request, also within one batch', async () => {
  const [image] = await images(1);
  assert.ok(image);
  const { body } = await client.batch([image, image], { ...quick, skip_duplicates: 'true' });
  const [first, second] = body.immediate_results;
  assert.deepEqual([first.skipped, second.skipped], [false, true]);
  assert.equal(second.existing_file_id, first.file_id);
  const again = (await client.batch([image], { ...quick, skip_duplicates: 'true' })).body;
  assert.equal(again.status, 'completed');
  const session = await client.sessionEnded(again.session_id);
  assert.deepEqual([session.status, session.skipped_files], ['completed', 1]);
  const { counts } = (await client.get(`/files/sessions/${again.session_id}/summary`)).body;
  assert.deepEqual([counts.total, counts.completed, counts.skipped], [1, 0, 1]);
  assertCountsAddUp(await client.sessionEnded(body.session_id));
});

test('text fields may follow the files, and apply to all of them', async () => {
  const { status, body } = await client.batch(await images(2), { tags: 'late', ...quick }, true);
  assert.equal(status, 201, JSON.stringify(body));
  await client.sessionEnded(body.session_id);
  for (const { file_id: id } of body.immediate_results) {
    const file = (await client.get(`/files/${id}`)).body;
    assert.deepEqual([file.tags, file.description_status], [['late'], 'skipped']);
  }
});

test('files over the limit of the tier are rejected by name', async () => {
  const { status, body } = await starter.batch(await images(52), quick);
  assert.equal(status, 201);
  assert.deepEqual([body.total_files, body.accepted_files, body.rejected_files], [52, 50, 2]);
  assert.deepEqual(body.immediate_results, []);
  assert.deepEqual(
    body.rejections.map(({ index }: Json) => index),
    [50, 51],
  );
  assert.match(body.rejections[0].reason, /50 files at most/);
  assert.equal(body.rejections[0].code, 'TOO_MANY_FILES');
  const session = await starter.sessionEnded(body.session_id);
  assert.deepEqual([session.completed_files, session.failed_files], [50, 2]);
  const page = (await starter.get(`/files/sessions/${body.session_id}/results?limit=20&offset=40`)).body;
  assert.deepEqual([page.total_count, page.results.length, page.has_more], [52, 12, false]);
  const summary = (await starter.get(`/files/sessions/${body.session_id}/summary`)).body;
  assert.equal(summary.overall_status, 'completed');
  assert.equal(summary.counts.completed, 50);
  assert.equal(summary.counts.failed, 2);
  assert.equal(summary.counts.total, 52);
  assert.deepEqual(summary.description_counts, {
    pending: 0,
    processing: 0,
    completed: 0,
    failed: 0,
    skipped: 50,
  });
  assert.deepEqual([summary.error_summary.count, summary.error_summary.messages.length], [2, 1]);
});

test('sessions are listed newest first, by status and method', async () => {
  const { body } = await client.batch(await images(1), quick);
  await client.sessionEnded(body.session_id);
  // Other tests create sessions of this tenant at the same time.
  const { items } = (await client.get('/files/sessions?status=completed&limit=100')).body;
  assert.ok(items.some(({ session_id: id }: Json) => id === body.session_id));
  assert.ok(items.every(({ status }: Json) => status === 'completed'));
  const created = items.map(({ created_at: at }: Json) => at);
  assert.deepEqual(created, created.toSorted().toReversed());
  const presigned = (await client.get('/files/sessions?upload_method=presigned&limit=100')).body.items;
  assert.ok(presigned.every((item: Json) => item.upload_method === 'presigned'));
  assert.equal((await client.get('/files/sessions?status=nonsense')).status, 422);
  assert.equal((await client.get('/files/sessions?limit=101')).status, 422);
});

test('a cancelled session reports it immediately, and files that never started stay pending', async () => {
  const { body } = await client.batch(await images(40));
  const id = body.session_id;
  const { status, body: cancelled } = await client.post(`/files/sessions/${id}/cancel`, {});
  assert.deepEqual([status, cancelled.status], [200, 'cancelled']);
  assertCountsAddUp(cancelled);
  assert.ok(cancelled.in_flight_files <= cancelled.pending_files, JSON.stringify(cancelled));
  for (const action of ['cancel', 'pause', 'resume', 'retry-failed']) {
    const again = await client.post(`/files/sessions/${id}/${action}`, {});
    assert.deepEqual([again.status, again.body.code], [400, 'UPLOAD_SESSION_ENDED'], action);
  }
  const session = await eventually(async () => {
    const record = (await client.get(`/files/sessions/${id}/status`)).body;
    assert.equal(record.in_flight_files, 0);
    return record;
  });
  assert.equal(session.total_files, 40);
  assertCountsAddUp(session);
  assert.deepEqual((await client.get(`/files/sessions/${id}`)).body, session);
  assert.equal(session.outcome, 'cancelled');
  const { results, summary, total_count: count } = (await client.get(`/files/sessions/${id}/results`)).body;
  assert.deepEqual([results.length, count], [40, 40]);
  const given = results.filter(({ failure_kind: kind }: Json) => kind === 'cancelled');
  assert.equal(given.length, session.cancelled_files);
  assert.equal(given.length, session.pending_files + session.failed_files);
  assert.equal(summary.cancelled, given.length);
  assert.deepEqual([...new Set(given.map(({ status }: Json) => status))], ['failed']);
  assert.deepEqual(session.recent_errors, []);
  const failed = (await client.get(`/files?failure_kind=cancelled&limit=100`)).body.items;
  const ids = new Set(failed.map(({ id }: Json) => id));
  for (const { file_id: fileId } of given) assert.ok(fileId === null || ids.has(fileId), fileId);
  for (const file of failed)
    assert.deepEqual([file.primary_status, file.failure_kind], ['failed', 'cancelled']);
  assert.equal(session.pending_files, cancelled.pending_files - cancelled.in_flight_files);
});

test('a completed session cannot be cancelled and has nothing to retry', async () => {
  const { body } = await client.batch(await images(1), quick);
  await client.sessionEnded(body.session_id);
  const cancelled = await client.post(`/files/sessions/${body.session_id}/cancel`, {});
  assert.deepEqual([cancelled.status, cancelled.body.detail], [400, 'the session is already completed']);
  const retried = await client.post(`/files/sessions/${body.session_id}/retry-failed`, {});
  assert.deepEqual([retried.status, retried.body.code], [409, 'NOTHING_TO_RETRY']);
});

test('retrying a session retries only its failed files', async () => {
  const [good] = await images(1);
  assert.ok(good);
  const torn = { bytes: Buffer.from(good.bytes).subarray(0, 200), filename: 'torn.jpg' };
  const { body } = await client.batch([good, torn], quick);
  const id = body.session_id;
  const first = await client.sessionEnded(id);
  assert.deepEqual([first.status, first.completed_files, first.failed_files], ['completed', 1, 1]);
  const { body: results } = await client.get(`/files/sessions/${id}/results`);
  assert.deepEqual(
    results.results.map(({ failure_kind: kind }: Json) => kind),
    [null, 'unreadable'],
  );
  const listed = (await client.get('/files/sessions?limit=100')).body.items;
  const { body: summary } = await client.get(`/files/sessions/${id}/summary`);
  for (const { outcome } of [first, summary, listed.find(({ session_id: each }: Json) => each === id)])
    assert.equal(outcome, 'partial');
  assert.deepEqual([first.recent_errors[0].filename, first.recent_errors[0].retryable], ['torn.jpg', false]);
  const retried = await client.post(`/files/sessions/${id}/retry-failed`, {});
  assert.deepEqual([retried.status, retried.body.status, retried.body.retried_files], [202, 'processing', 1]);
  const second = await client.sessionEnded(id);
  assert.deepEqual([second.status, second.failed_files], ['completed', 1]);
  const [fine, failed] = body.immediate_results;
  assert.equal((await client.get(`/files/${fine.file_id}/timeline`)).body.runs.length, 1);
  assert.equal((await client.get(`/files/${failed.file_id}/timeline`)).body.runs.length, 2);
});

test('a paused session starts nothing until it is resumed', async () => {
  const { body } = await client.batch(await images(90), quick);
  const id = body.session_id;
  const paused = await client.post(`/files/sessions/${id}/pause`, {});
  assert.deepEqual([paused.status, paused.body.paused, paused.body.status], [200, true, 'processing']);
  const resumed = await client.post(`/files/sessions/${id}/resume`, {});
  assert.deepEqual([resumed.status, resumed.body.paused], [200, false]);
  const session = await client.sessionEnded(id);
  assert.deepEqual([session.status, session.completed_files], ['completed', 90]);
});

test('unknown, foreign and malformed session ids look alike', async () => {
  const { body } = await client.batch(await images(1), quick);
  await client.sessionEnded(body.session_id);
  for (const id of [body.session_id, randomUUID(), 'nonsense', "'; --"]) {
    const path = `/files/sessions/${encodeURIComponent(id)}`;
    const answers = await Promise.all([
      ...['status', 'results', 'summary'].map((view) => starter.get(`${path}/${view}`)),
      ...['cancel', 'pause', 'resume', 'retry-failed'].map((action) => starter.post(`${path}/${action}`, {})),
    ]);
    for (const answer of answers) {
      assert.deepEqual([answer.status, answer.body.detail], [404, 'session not found']);
    }
  }
});

test('malformed batches are rejected and leave no session', async () => {
  const before = (await starter.get('/files/sessions')).body.total_count;
  const [image] = await images(1);
  assert.ok(image);
  const none = await starter.batch([], { tags: 'x' });
  assert.deepEqual([none.status, none.body.errors[0].pointer], [422, '/form/files']);
  for (const fieldsLast of [false, true]) {
    const bad = await starter.batch(
      [image],
      { auto_describe: 'maybe', content_category: 'nothing' },
      fieldsLast,
    );
    assert.equal(bad.status, 422);
    assert.deepEqual(bad.body.errors.map(({ pointer }: Json) => pointer).toSorted(), [
      '/form/auto_describe',
      '/form/content_category',
    ]);
    const foreign = await starter.batch([image], { folder_id: randomUUID() }, fieldsLast);
    assert.deepEqual([foreign.status, foreign.body.detail], [404, 'folder not found']);
  }
  const form = new FormData();
  form.append('image', new Blob([image.bytes]), 'a.jpg');
  assert.equal((await starter.request('POST', '/files/upload/batch', { body: form })).status, 400);
  assert.equal((await starter.post('/files/upload/batch', {})).status, 400);
  assert.equal((await starter.get('/files/sessions')).body.total_count, before);
});
