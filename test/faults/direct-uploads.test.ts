import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { s3Config } from '../../adapters/object-store/config.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { createS3ObjectStore } from '../../adapters/object-store/s3-object-store.ts';
import { databaseConfig } from '../../db/config.ts';
import { createOrm, type Orm } from '../../db/create-orm.ts';
import { CreditEntry } from '../../db/entities/accounts/credit-entry.ts';
import { IdempotencyKey } from '../../db/entities/shared/idempotency-key.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { UploadIntent } from '../../db/entities/uploads/upload-intent.ts';
import { startDisposableStack } from '../../dev/launcher/disposable-stack.ts';
import type { Stack } from '../../dev/launcher/stack.ts';
import { incomingKey, originalPrefix } from '../../domain/object-keys.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { createEngine, type Engine } from '../../temporal/client.ts';
import { temporalConfig } from '../../temporal/config.ts';
import { directUploadWorkflowId } from '../../temporal/contract/ids.ts';
import { createClient, eventually, type Client, type Json } from '../support/api.ts';
import { collect } from '../support/collect.ts';
import { quarters } from '../support/sample-images.ts';
import { storedFacts } from '../support/stored-facts.ts';

/** Direct uploads on a stack of their own, of which processes die. They have 40 seconds. */
const LIFETIME_SECONDS = 40;
const PART = 5 * 1024 * 1024;
let stack: Stack;
let client: Client;
let orm: Orm;
let engine: Engine;
let objects: ObjectStore;
/** Uploads that nobody completes; what comes of them is looked at last, when their time is over. */
let abandoned: Json[];

before(async () => {
  stack = await startDisposableStack(process.env, {
    appEnv: {
      api: { DIRECT_UPLOAD_SECONDS: String(LIFETIME_SECONDS) },
      worker: { SWEEP_SECONDS: '3' },
    },
  });
  client = createClient(stack.runInfo);
  const config = readConfig([databaseConfig, temporalConfig, s3Config], stack.env);
  orm = createOrm(config);
  engine = createEngine(config);
  objects = createS3ObjectStore(config);
  abandoned = [await halfSent(), (await sent()).upload];
  for (const { upload_id: id } of abandoned) assert.equal((await held(id)).length, 1);
});

after(async () => {
  await engine?.close();
  await orm?.close(true);
  await stack?.stop({ keepData: false });
});

async function picture(sizeBytes = 0): Promise<Buffer<ArrayBuffer>> {
  const png = await quarters().png().toBuffer();
  return Buffer.concat([png, randomBytes(Math.max(32, sizeBytes - png.length))]);
}

async function begin(bytes: Uint8Array, fields: Json = {}): Promise<Json> {
  const { status, body } = await client.post('/files/direct-uploads', {
    filename: 'a.png',
    content_type: 'image/png',
    size_bytes: bytes.length,
    claimed_file_hash: createHash('sha256').update(bytes).digest('hex'),
    ...fields,
  });
  assert.equal(status, 201, JSON.stringify(body));
  return body;
}

async function put(url: string, bytes: Uint8Array, headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(url, { method: 'PUT', headers, body: bytes as Uint8Array<ArrayBuffer> });
  assert.equal(response.status, 200, await response.text());
  return response.headers.get('etag') ?? '';
}

/** A single PUT whose bytes are there. */
async function sent(fields: Json = {}): Promise<{ id: string; bytes: Buffer; upload: Json }> {
  const bytes = await picture();
  const upload = await begin(bytes, fields);
  await put(upload.presigned_url, bytes, upload.headers);
  return { id: upload.upload_id, bytes, upload };
}

/** An upload in two parts of which the first has come. */
async function halfSent(): Promise<Json> {
  const bytes = await picture(PART + 100);
  const upload = await begin(bytes, { upload_mode: 'multipart', part_size_bytes: PART });
  const etag = await put(upload.part_urls[0].url, bytes.subarray(0, PART));
  const confirmed = await client.post(`/files/direct-uploads/${upload.upload_id}/parts/confirm`, {
    part_number: 1,
    etag,
    size_bytes: PART,
  });
  assert.equal(confirmed.status, 200);
  return upload;
}

const complete = (id: string) => client.post(`/files/direct-uploads/${id}/complete`, {});
const abort = (id: string) => client.request('DELETE', `/files/direct-uploads/${id}`);
const intent = async (id: string): Promise<Json> => (await client.get(`/files/direct-uploads/${id}`)).body;
const row = (id: string) => orm.em.fork().findOneOrFail(UploadIntent, id);

/** What the store holds of an upload: objects, and parts of none. */
async function held(id: string): Promise<string[]> {
  const { tenantId, fileId } = await row(id);
  const found: string[] = [];
  for (const prefix of [incomingKey(tenantId, id), originalPrefix(tenantId, fileId)]) {
    found.push(...(await collect(objects.list(prefix))).map(({ key }) => key));
    found.push(...(await collect(objects.listIncompleteUploads(prefix))).map(({ key }) => `parts of ${key}`));
  }
  return found;
}

/** One file, its object, its credits; and nothing else. */
async function assertOneFile(id: string, bytes: Buffer): Promise<void> {
  const { fileId, objectKey } = await row(id);
  assert.equal((await client.settled(fileId, 90)).primary_status, 'completed');
  assert.ok((await client.follow(`/files/${fileId}/download`)).bytes.equals(bytes));
  const facts = { variants: 4, descriptions: 1, timelines: 1, credits: ['reserve 1', 'spend 1'] };
  assert.deepEqual(await storedFacts(orm.em.fork(), fileId), facts);
  await eventually(async () => assert.deepEqual(await held(id), [objectKey]));
}

/** No file, no object, no parts, no credits. */
async function assertNothingLeft(id: string, seconds = 30): Promise<void> {
  const { fileId } = await row(id);
  await eventually(async () => assert.deepEqual(await held(id), []), seconds);
  assert.equal(await orm.em.fork().count(StoredFile, { id: fileId }), 0);
  assert.equal(await orm.em.fork().count(CreditEntry, { reservationId: { $like: `file/${fileId}/%` } }), 0);
}

test('an abort takes the parts out of the bucket', async () => {
  const { upload_id: id } = await halfSent();
  assert.equal((await abort(id)).body.aborted, true);
  await assertNothingLeft(id);
});

test('completions and aborts that race end in one state, and what is left fits it', async () => {
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

test('bytes that the store took without checking are hashed, and the wrong ones are thrown away', async () => {
  const { id, bytes } = await sent();
  const { objectKey } = await row(id);
  const wrong = Buffer.concat([bytes.subarray(0, -1), Buffer.from([(bytes.at(-1) ?? 0) ^ 1])]);
  await objects.put(objectKey, wrong, { contentType: 'image/png' });
  const refused = await complete(id);
  assert.deepEqual([refused.status, refused.body.code], [409, 'HASH_MISMATCH']);
  assert.deepEqual(await held(id), []);
  await objects.put(objectKey, bytes, { contentType: 'image/png' });
  assert.equal((await complete(id)).status, 202);
  // Whatever comes to that key later, by whichever way, is not the file.
  await objects.put(incomingKey((await row(id)).tenantId, id), wrong, { contentType: 'image/png' });
  const { fileId } = await row(id);
  assert.ok((await client.follow(`/files/${fileId}/download`)).bytes.equals(bytes));
});

test('a completion with every worker dead is taken, and carried out when one lives', async () => {
  const { id, bytes } = await sent();
  await stack.kill('worker');
  const taken = await complete(id);
  assert.deepEqual([taken.status, taken.body.status], [202, 'processing']);
  await stack.start('worker');
  await eventually(async () => assert.equal((await intent(id)).status, 'COMPLETED'), 60);
  assert.equal((await row(id)).fileId, taken.body.file_id);
  await assertOneFile(id, bytes);
});

test('a completion with the engine down is taken from the row, and carried out when it is back', async () => {
  const polled = await sent();
  await stack.kill('temporal');
  const swept = await sent();
  for (const { id } of [polled, swept]) {
    const taken = await complete(id);
    assert.deepEqual([taken.status, taken.body.status], [202, 'processing']);
  }
  const aborted = await sent();
  assert.equal((await abort(aborted.id)).body.aborted, true);
  await stack.start('temporal');
  await eventually(async () => assert.equal((await intent(polled.id)).status, 'COMPLETED'), 60);
  // Nobody reads this one: the sweep alone brings it to the engine.
  await eventually(async () => assert.equal((await row(swept.id)).status, 'COMPLETED'), 120);
  await assertOneFile(polled.id, polled.bytes);
  await assertOneFile(swept.id, swept.bytes);
  await assertNothingLeft(aborted.id, 120);
});

test('a terminated workflow shows as the reason of the failed intent with every worker dead', async () => {
  const { upload_id: id } = await halfSent();
  await stack.kill('worker');
  await engine.client.workflow.getHandle(directUploadWorkflowId(id)).terminate('operator: enough');
  await eventually(async () => assert.equal((await row(id)).status, 'FAILED'), 10);
  assert.match((await intent(id)).error_message, /terminated: operator: enough/);
  const refused = await complete(id);
  assert.deepEqual([refused.status, refused.body.code], [409, 'UPLOAD_FAILED']);
  await stack.start('worker');
  await assertNothingLeft(id, 90);
});

test('a creation whose API died is taken up by its key, and makes no second upload', async () => {
  const bytes = await picture();
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
  // As if the answer had never been stored, and its holder were dead for longer than its lease.
  const forget = (lease: string) =>
    orm.em
      .fork()
      .execute(
        `update idempotency_keys set response_status = null, response_body = null, leased_until = now() + ?::interval where key = ?`,
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

test('a key is held as long as its request lives, and not for long when its process was killed', async () => {
  const { id } = await sent();
  const key = randomUUID();
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': key };
  const ask = () => client.request('POST', `/files/direct-uploads/${id}/complete`, { body: '{}', headers });
  const held = async () => assert.equal(await orm.em.fork().count(IdempotencyKey, { key }), 1);
  // Without a worker a completion waits for its verification longer than a lease lasts.
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
  await eventually(async () => assert.equal((await ask()).status, 202), 25);
  await stack.start('worker');
  await eventually(async () => assert.equal((await intent(id)).status, 'COMPLETED'), 60);
});

test('an upload that is not completed in time fails by its timer, and nothing of it is left', async () => {
  for (const { upload_id: id } of abandoned) {
    await eventually(async () => assert.equal((await row(id)).status, 'FAILED'), LIFETIME_SECONDS + 30);
    assert.match((await intent(id)).error_message, /not completed in time/);
    await assertNothingLeft(id);
    const late = await complete(id);
    assert.deepEqual([late.status, late.body.code], [409, 'UPLOAD_EXPIRED']);
  }
});
