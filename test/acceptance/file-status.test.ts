import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { createClient, eventually, sharedRun, type Json } from '../support/api.ts';
import { grain, quarters } from '../support/sample-images.ts';

const run = sharedRun();
const client = createClient(run);
const image = await grain().jpeg().toBuffer();
const torn = await quarters().jpeg().toBuffer();
const trigger = (id: string) => client.post(`/files/${id}/trigger-variants`, {});
const uploadStatus = async (id: string): Promise<Json> =>
  (await client.get(`/files/uploads-status/${id}`)).body;
const processing = async (id: string): Promise<Json> =>
  (await client.get(`/files/${id}/processing-status`)).body;

test('the upload status of a completed file has every field of the contract', async () => {
  const id = await client.ingest({ bytes: image });
  await client.settled(id);
  const status = await uploadStatus(id.slice(0, 8));
  const { created_at, last_updated_at, completed_at, processing_duration_seconds, ...rest } = status;
  assert.deepEqual(rest, {
    file_id: id,
    session_id: null,
    unified_status: 'completed',
    failure_kind: null,
    component_statuses: {
      variant_status: 'completed',
      description_status: 'completed',
      extraction_status: 'skipped',
      upload_status: 'completed',
      processing_status: 'completed',
    },
    processing_ids: [`file/${id}`],
    error_message: null,
    last_error_at: null,
    retry_count: 0,
    is_stuck: false,
    is_terminal: true,
    cause: null,
    last_sign_of_life_at: null,
  });
  assert.ok(created_at < completed_at && completed_at <= last_updated_at);
  assert.ok(processing_duration_seconds > 0 && processing_duration_seconds < 60);
});

test('every step of a completed file is in its processing status', async () => {
  const id = await client.ingest({ bytes: image });
  await client.settled(id);
  const status = await processing(id);
  assert.deepEqual([status.file_id, status.media_type], [id, 'image']);
  assert.deepEqual([status.primary_status, status.explanation], ['completed', 'Everything is completed.']);
  const { extraction, ...asked } = status.components;
  assert.equal(extraction.status, 'skipped');
  assert.deepEqual(
    extraction.steps.map(({ step, status: now }: Json) => [step, now]),
    ['extractDomains', 'extractBySchema', 'checkCompliance'].map((step) => [step, 'skipped']),
  );
  const steps = Object.values(asked).flatMap((component) => (component as Json).steps);
  assert.deepEqual(
    steps.map(({ step, status: now, attempt }: Json) => [step, now, attempt]),
    ['renderVariants', 'readText', 'describeImage', 'indexImage'].map((step) => [step, 'completed', 1]),
  );
  for (const { started_at, completed_at, error_message } of [...steps, ...Object.values(asked)]) {
    assert.ok(started_at <= completed_at);
    assert.equal(error_message, null);
  }
});

test('a failed file has a reason and a time, and components that never started are skipped', async () => {
  const id = await client.ingest({ bytes: torn.subarray(0, torn.length / 2) });
  await client.settled(id);
  const status = await uploadStatus(id);
  assert.deepEqual([status.unified_status, status.is_terminal], ['failed', true]);
  assert.match(status.error_message, /damaged/);
  assert.ok(status.created_at < status.last_error_at);
  const { variant, description } = (await processing(id)).components;
  assert.deepEqual([variant.status, variant.steps[0].status], ['failed', 'failed']);
  assert.match(variant.error_message, /damaged/);
  assert.deepEqual(
    [description, ...description.steps].map(({ status: now, attempt }: Json) => [now, attempt]),
    Array.from({ length: 4 }, () => ['skipped', 0]),
  );
});

test('variants are regenerated on demand, and the description is kept', async () => {
  const id = await client.ingest({ bytes: image });
  const before = await client.settled(id);
  const variant = await client.follow(`/files/${id}/variant/small_256`);
  const { status, body } = await trigger(id);
  assert.equal(status, 200);
  const { message, current_status, ...rest } = body;
  assert.deepEqual(rest, { success: true, task_id: `file/${id}`, image_id: id, skipped_duplicate: false });
  assert.deepEqual([message, current_status], ['Variant generation is queued.', 'queued']);
  const file = await client.settled(id);
  assert.equal(file.primary_status, 'completed');
  assert.deepEqual(file.full_descriptions, before.full_descriptions);
  const again = await client.follow(`/files/${id}/variant/small_256`);
  assert.ok(again.bytes.equals(variant.bytes));
  const { runs } = (await client.get(`/files/${id}/timeline`)).body;
  assert.deepEqual(
    runs[1].steps.map(({ step }: Json) => step),
    ['renderVariants'],
  );
  assert.equal((await uploadStatus(id)).retry_count, 1);
});

test('one of ten concurrent requests for variants starts a run, and the others report it', async () => {
  const id = await client.ingest({ bytes: image, fields: { auto_describe: 'false' } });
  await client.settled(id);
  const answers = await Promise.all(Array.from({ length: 10 }, () => trigger(id)));
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  assert.ok(answers.every(({ body }) => body.success));
  // A request that arrives after the first run has ended may start another.
  const begun = answers.filter(({ body }) => !body.skipped_duplicate).length;
  for (const { body } of answers.filter((answer) => answer.body.skipped_duplicate)) {
    assert.match(body.message, /already in progress/);
    assert.ok(['queued', 'processing'].includes(body.current_status), body.current_status);
  }
  await client.settled(id);
  const { runs } = (await client.get(`/files/${id}/timeline`)).body;
  assert.equal(runs.length, 1 + begun);
  assert.ok(begun >= 1 && begun < 10);
});

test('requesting variants during processing starts no second run', async () => {
  const id = await client.ingest({ bytes: image, fields: { auto_describe: 'false' } });
  const { body } = await trigger(id);
  await client.settled(id);
  const { runs } = (await client.get(`/files/${id}/timeline`)).body;
  assert.equal(runs.length, body.skipped_duplicate ? 1 : 2);
});

test('retrying failed variants also retries the description that depends on them', async () => {
  const id = await client.ingest({ bytes: torn.subarray(0, torn.length / 2) });
  await client.settled(id);
  assert.equal((await trigger(id)).body.skipped_duplicate, false);
  await eventually(async () => assert.equal((await uploadStatus(id)).retry_count, 1));
  const file = await client.settled(id);
  assert.deepEqual([file.variant_status, file.description_status], ['failed', 'skipped']);
});

test('invalid requests are rejected, and foreign files look absent', async () => {
  const id = await client.ingest({ bytes: image, fields: { auto_describe: 'false' } });
  for (const minutes of ['0', '-1', 'x', '1.5', '99999999', '%20']) {
    const { status, body } = await client.get(`/files/uploads-status/${id}?stuck_minutes=${minutes}`);
    assert.deepEqual([status, body.code], [422, 'VALIDATION_FAILED'], minutes);
  }
  const stranger = createClient(run, run.tenants.professional.api_key);
  const absent = (await stranger.get(`/files/${randomUUID()}`)).body.detail;
  for (const ask of [
    () => stranger.get(`/files/uploads-status/${id}`),
    () => stranger.get(`/files/${id}/processing-status`),
    () => stranger.post(`/files/${id}/trigger-variants`, {}),
    () => client.get('/files/uploads-status/none'),
    () => client.post(`/files/${randomUUID()}/trigger-variants`, {}),
  ]) {
    const { status, body } = await ask();
    assert.deepEqual([status, body.detail], [404, absent]);
  }
});
