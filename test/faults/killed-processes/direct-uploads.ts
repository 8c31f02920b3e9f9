import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { before, test } from 'node:test';
import { IdempotencyKey } from '../../../db/entities/shared/idempotency-key.ts';
import { incomingKey } from '../../../domain/object-keys.ts';
import { eventually, type Json } from '../../support/api.ts';
import { createDirectUploads } from '../../support/direct-uploads.ts';
import { paddedImage } from '../../support/images.ts';
import { DIRECT_UPLOAD_SECONDS, own } from './stack.ts';
import { DIRECT_UPLOAD_WORKFLOWS } from '../../../temporal/contract/direct-upload.ts';

/** Direct uploads while the API and the workers that verify them are killed. */
const { stack, orm, engine, objects } = own;
const tenant = await own.newTenant();
const { client } = tenant;
const uploads = createDirectUploads(own, tenant);
const { sent, halfSent, complete, abort, intent, row, held, assertOneFile, assertNothingLeft } = uploads;

/** Uploads that are never completed; the last test checks them after their expiry. */
let abandoned: Json[];
before(async () => {
  abandoned = [await halfSent(), (await sent()).upload];
  for (const { upload_id: id } of abandoned) assert.equal((await held(id)).length, 1);
});

test('an abort removes the parts from the bucket', async () => {
  const { upload_id: id } = await halfSent();
  assert.equal((await abort(id)).body.aborted, true);
  await assertNothingLeft(id);
});

test('racing completions and aborts end in one state, and the stored objects match it', async () => {
  const ends = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const { id, bytes } = await sent();
      const [done, , aborted] = await Promise.all([complete(id), complete(id), abort(id)]);
      const { status, file_id: fileId } = await intent(id);
      if (status === 'COMPLETED') {
        assert.deepEqual([done.status, aborted.body.aborted], [202, false]);
        assert.equal(done.body.file_id, fileId);
        await assertOneFile(id, bytes);
      } else {
        assert.deepEqual([status, aborted.body.aborted], ['FAILED', true]);
        assert.ok([202, 409].includes(done.status));
        await assertNothingLeft(id);
      }
      return status as string;
    }),
  );
  assert.equal(ends.length, 6);
});

test('bytes accepted by the store without a checksum are hashed, and an object with wrong bytes is deleted', async () => {
  const { id, bytes } = await sent();
  const { objectKey } = await row(id);
  const wrong = Buffer.concat([bytes.subarray(0, -1), Buffer.from([(bytes.at(-1) ?? 0) ^ 1])]);
  await objects.put(objectKey, wrong, { contentType: 'image/png' });
  const refused = await complete(id);
  assert.deepEqual([refused.status, refused.body.code], [409, 'HASH_MISMATCH']);
  // The object is deleted after the upload is reopened.
  await eventually(async () => assert.deepEqual(await held(id), []));
  await objects.put(objectKey, bytes, { contentType: 'image/png' });
  assert.equal((await complete(id)).status, 202);
  // A later write to that key by any route does not change the file.
  await objects.put(incomingKey(await row(id), id), wrong, { contentType: 'image/png' });
  const { fileId } = await row(id);
  assert.ok((await client.follow(`/files/${fileId}/download`)).bytes.equals(bytes));
});

test('a completion is accepted with every worker dead and verified once a worker runs', async () => {
  const { id, bytes } = await sent();
  const before = (await client.get('/files')).body.total_count;
  await stack.kill('worker');
  const accepted = await complete(id);
  assert.deepEqual([accepted.status, accepted.body.status], [202, 'processing']);
  await assertKnown(accepted.body.file_id, 'confirming', /being verified/);
  assert.equal((await client.get('/files')).body.total_count, before);
  const retitled = await client.patch(`/files/${accepted.body.file_id}`, { title: 'too early' });
  assert.deepEqual([retitled.status, retitled.body.code], [409, 'WORK_IN_PROGRESS']);
  assert.match(retitled.headers.get('retry-after') ?? '', /^\d+$/);
  await stack.start('worker');
  await eventually(async () => assert.equal((await intent(id)).status, 'COMPLETED'), 60);
  assert.equal((await row(id)).fileId, accepted.body.file_id);
  await assertOneFile(id, bytes);
});

/** Asserts that every view shows a file without a row yet as pending, also by a prefix of its id. */
async function assertKnown(fileId: string, unified: string, sentence: RegExp): Promise<void> {
  for (const at of [fileId, fileId.slice(0, 8)]) {
    const { status, body } = await client.get(`/files/${at}`);
    assert.deepEqual([status, body.id, body.primary_status], [200, fileId, 'pending'], JSON.stringify(body));
    assert.deepEqual([body.variant_status, body.description_status], ['pending', 'pending']);
    assert.deepEqual([body.original_url, body.thumbnail_url], [null, null]);
    assert.match(body.explanation, sentence);
    const state = (await client.get(`/files/${at}/processing-status`)).body;
    assert.deepEqual([state.primary_status, state.explanation], ['pending', body.explanation]);
    const timeline = (await client.get(`/files/${at}/timeline`)).body;
    assert.deepEqual([timeline.runs, timeline.explanation], [[], body.explanation]);
    const upload = (await client.get(`/files/uploads-status/${at}`)).body;
    assert.deepEqual([upload.unified_status, upload.is_terminal], [unified, false]);
  }
}

test('the file id promised for an upload that is a duplicate leads to the existing file', async () => {
  const first = await sent();
  const { file_id: known } = (await complete(first.id)).body;
  const { id } = await sent({ skip_duplicates: true }, first.bytes);
  await stack.kill('worker');
  const { file_id: promised } = (await complete(id)).body;
  assert.notEqual(promised, known);
  await assertKnown(promised, 'confirming', /being verified/);
  await stack.start('worker');
  await eventually(async () => assert.equal((await intent(id)).status, 'COMPLETED'), 60);
  assert.equal((await client.get(`/files/${promised}`)).body.id, known);
  const removed = await client.delete(`/files/${promised}`);
  assert.equal(removed.status, 404);
  assert.match(removed.body.detail, new RegExp(`duplicate of file ${known}`));
});

test('the reason of a terminated workflow becomes the reason of the failed intent, even with every worker dead', async () => {
  const { upload_id: id } = await halfSent();
  const { fileId } = await row(id);
  await assertKnown(fileId, 'uploading', /waits for its bytes until/);
  await stack.kill('worker');
  await engine.client.workflow.getHandle(DIRECT_UPLOAD_WORKFLOWS.of(id)).terminate('operator: enough');
  await eventually(async () => assert.equal((await row(id)).status, 'FAILED'));
  assert.match((await intent(id)).error_message, /terminated: operator: enough/);
  const file = (await client.get(`/files/${fileId}`)).body;
  assert.deepEqual([file.primary_status, file.description_status], ['failed', 'failed']);
  assert.match(file.explanation, /upload failed, and there is no file: .*operator: enough/);
  const refused = await complete(id);
  assert.deepEqual([refused.status, refused.body.code], [409, 'UPLOAD_FAILED']);
  await stack.start('worker');
  await assertNothingLeft(id, 90);
});

test('a creation interrupted by a killed API is resumed with its idempotency key, without a second upload', async () => {
  const bytes = await paddedImage();
  const key = randomUUID();
  const create = () =>
    client.request('POST', '/files/direct-uploads', {
      body: JSON.stringify({
        filename: 'a.png',
        content_type: 'image/png',
        size_bytes: bytes.length,
        claimed_file_hash: createHash('sha256').update(bytes).digest('hex'),
      }),
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
    });
  const first = await create();
  // Restores the state in which the response was never stored and the lease of the dead holder has expired.
  const forget = (lease: string) =>
    orm.em
      .fork()
      .execute(
        `update idempotency_keys set answered_at = null, leased_until = now() + ?::interval where key = ?`,
        [lease, key],
      );
  await forget('30 seconds');
  const blocked = await create();
  assert.deepEqual([blocked.status, blocked.body.code], [409, 'REQUEST_IN_FLIGHT']);
  await forget('-1 seconds');
  const second = await create();
  assert.equal(second.status, 201);
  assert.equal(second.headers.get('idempotency-replayed'), null);
  assert.equal(second.body.upload_id, first.body.upload_id);
  assert.equal((await create()).headers.get('idempotency-replayed'), 'true');
});

test('an idempotency key stays leased while its request runs, and the lease expires soon after its process is killed', async () => {
  const { id } = await sent();
  const key = randomUUID();
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': key };
  const ask = () => client.request('POST', `/files/direct-uploads/${id}/complete`, { body: '{}', headers });
  const held = async () => assert.equal(await orm.em.fork().count(IdempotencyKey, { key }), 1);
  // Without a worker, a completion waits for verification longer than the lease lasts.
  await stack.kill('worker');
  let answered = false;
  const first = ask().finally(() => (answered = true));
  await eventually(held);
  let blocked = 0;
  for (;;) {
    const twin = await ask();
    if (answered) break;
    assert.deepEqual([twin.status, twin.body.code], [409, 'REQUEST_IN_FLIGHT']);
    blocked += 1;
  }
  assert.ok(blocked > 0);
  assert.deepEqual([(await first).status, (await first).body.status], [202, 'processing']);

  const killed = assert.rejects(ask());
  await eventually(held);
  await stack.kill('api');
  await killed;
  await stack.start('api');
  await eventually(async () => assert.equal((await ask()).status, 202));
  await stack.start('worker');
  await eventually(async () => assert.equal((await intent(id)).status, 'COMPLETED'), 60);
});

test('an upload that is not completed before its expiry fails and leaves nothing behind', async () => {
  for (const { upload_id: id } of abandoned) {
    await eventually(async () => assert.equal((await row(id)).status, 'FAILED'), DIRECT_UPLOAD_SECONDS + 30);
    assert.match((await intent(id)).error_message, /not completed in time/);
    await assertNothingLeft(id);
    const late = await complete(id);
    assert.deepEqual([late.status, late.body.code], [409, 'UPLOAD_EXPIRED']);
  }
});
