import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { after, test } from 'node:test';
import proto from '@temporalio/proto';
import sharp from 'sharp';
import { s3Config } from '../../adapters/object-store/config.ts';
import { createS3ObjectStore } from '../../adapters/object-store/s3-object-store.ts';
import { vectorConfig } from '../../adapters/vector-index/config.ts';
import { createVectorIndex } from '../../adapters/vector-index/create-vector-index.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { IMAGE_COLLECTION } from '../../domain/search/collections.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { INVARIANTS } from '../../services/audit/index.ts';
import { removeAbandonedObjects } from '../../services/uploads/claimed-objects.ts';
import { recoverLostFiles } from '../../services/recovery/recover-lost-files.ts';
import { fileWorkflowId } from '../../temporal/contract/ids.ts';
import { describeRun } from '../../temporal/status/describe-run.ts';
import { readRun } from '../../temporal/status/read-run.ts';
import { eventually, type Json } from '../support/api.ts';
import { decodersOf } from '../support/decoder-processes.ts';
import { replies } from '../support/model-server.ts';
import { startOwnStack } from '../support/own-stack.ts';
import { storedFacts } from '../support/stored-facts.ts';

/** Kills processes of a stack of its own, one fault after the other, and looks at what the API says and what is left. */
const ingested: string[] = [];
/** SHA-256 of what was sent, by file id. */
const sent = new Map<string, string>();

const own = await startOwnStack({ UPLOAD_MEMORY_BYTES_PER_TENANT: '21000000' });
const { stack, client, orm, engine, model } = own;
const config = readConfig([s3Config, vectorConfig], stack.env);
const objects = createS3ObjectStore(config);
const vectors = createVectorIndex(config, IMAGE_COLLECTION);
after(async () => {
  await vectors.close();
  await own.stop();
});

const sample = (name: string) => readFileSync(new URL(`../../dev/samples/${name}`, import.meta.url));
async function ingest(bytes: Uint8Array, fields: Record<string, string> = {}): Promise<string> {
  const id = await client.ingest({ bytes, fields });
  ingested.push(id);
  sent.set(id, createHash('sha256').update(bytes).digest('hex'));
  return id;
}
const timeline = async (id: string): Promise<Json> => (await client.get(`/files/${id}/timeline`)).body;
/** Takes a decoder some seconds. */
const slowPicture = () =>
  sharp({ create: { width: 9000, height: 9000, channels: 3, background: '#357' } })
    .png({ progressive: true })
    .toBuffer();
const nothingTwice = { variants: 4, descriptions: 1, timelines: 1, credits: ['reserve 1', 'spend 1'] };

test('a worker that is killed in mid decode: the file completes, with nothing twice', async () => {
  const id = await ingest(await slowPicture());
  await eventually(async () => assert.equal(decodersOf(id).length, 1));
  await stack.kill('worker-cpu');
  await eventually(async () => assert.deepEqual(decodersOf(id), [], 'a decoder outlived its worker'));
  await stack.start('worker-cpu');
  assert.equal((await client.settled(id, 90)).primary_status, 'completed');
  assert.deepEqual(await storedFacts(orm.em.fork(), id), nothingTwice);
  const [step] = (await timeline(id)).runs[0].steps;
  assert.equal(step.attempt, 2);
  assert.equal(step.error.code, 'WORKER_LOST');
});

test('a worker that is killed while the model answers: the file completes, the answer is stored once', async () => {
  model.next(replies.hang());
  const asked = model.requests.length;
  const id = await ingest(sample('chelsea.jpg'));
  await eventually(async () => assert.ok(model.requests.length > asked));
  await stack.kill('worker');
  await stack.start('worker');
  assert.equal((await client.settled(id, 90)).primary_status, 'completed');
  assert.deepEqual(await storedFacts(orm.em.fork(), id), nothingTwice);
});

test('a model that answers 429 is a pause with a reason, and the file goes on by itself', async () => {
  model.next(replies.rateLimited('3'));
  const id = await ingest(sample('rocket.jpg'));
  await eventually(async () => {
    const { explanation, primary_status: status } = await timeline(id);
    assert.match(
      explanation,
      /^Description waiting: the model endpoint answered 429.*, attempt 2, next try \d\d:\d\d:\d\d UTC\.$/,
    );
    assert.equal(status, 'processing');
  });
  assert.equal((await client.settled(id)).primary_status, 'completed');
});

test('the workflow engine is down during an upload: 201, and the file is processed when it is back', async () => {
  await stack.kill('temporal');
  const polled = await ingest(sample('coffee.jpg'));
  const swept = await ingest(sample('astronaut.webp'));
  const file = (await client.get(`/files/${polled}`)).body;
  assert.equal(file.primary_status, 'pending');
  assert.match((await timeline(polled)).explanation, /engine cannot be reached/);
  const ready = await client.get(`${client.origin}/readyz`);
  assert.deepEqual([ready.status, ready.body.status], [200, 'degraded']);
  await stack.start('temporal');
  assert.equal((await client.settled(polled, 60)).primary_status, 'completed');
  // Nobody asks for this one: the sweep has to find it.
  await eventually(async () => {
    const { items } = (await client.get('/files?limit=100')).body;
    assert.equal(items.find(({ id }: { id: string }) => id === swept).primary_status, 'completed');
  }, 120);
  assert.deepEqual(await storedFacts(orm.em.fork(), swept), nothingTwice);
});

test('with every worker dead reads answer, and a terminated workflow shows failed with the reason', async () => {
  await stack.kill('worker');
  await stack.kill('worker-cpu');
  const watched = await ingest(sample('chelsea.jpg'));
  const unwatched = await ingest(sample('coffee.jpg'));
  assert.equal((await client.get(`/files/${watched}`)).body.primary_status, 'pending');
  assert.match((await timeline(watched)).explanation, /waits for a workflow worker/);
  for (const id of [watched, unwatched]) {
    await engine.client.workflow.getHandle(fileWorkflowId(id)).terminate('an operator said so');
  }
  const told = await client.settled(watched, 10);
  assert.equal(told.primary_status, 'failed');
  assert.equal(told.variant_error, 'the workflow was terminated: an operator said so');
  // The list never asks the engine: here the reconciler has brought it.
  await eventually(async () => {
    const { items } = (await client.get('/files?limit=100')).body;
    assert.equal(items.find(({ id }: { id: string }) => id === unwatched).primary_status, 'failed');
  }, 10);
  for (const id of [watched, unwatched]) {
    const { credits, timelines } = await storedFacts(orm.em.fork(), id);
    assert.deepEqual({ credits, timelines }, { credits: ['reserve 1', 'refund 1'], timelines: 1 });
  }
  await Promise.all([stack.start('worker'), stack.start('worker-cpu')]);
  assert.equal((await client.post(`/files/${watched}/retry`, {})).status, 202);
  assert.equal((await client.settled(watched)).primary_status, 'completed');
});

test('a cancelled workflow keeps what is done, skips the rest and refunds', async () => {
  model.next(replies.rateLimited('30'));
  const id = await ingest(sample('rocket.jpg'));
  await eventually(async () =>
    assert.equal((await client.get(`/files/${id}`)).body.variant_status, 'completed'),
  );
  await eventually(async () => assert.match((await timeline(id)).explanation, /429/));
  await engine.client.workflow.getHandle(fileWorkflowId(id)).cancel();
  const file = await client.settled(id);
  assert.equal(file.primary_status, 'partially_completed');
  assert.equal(file.description_status, 'skipped');
  assert.deepEqual((await storedFacts(orm.em.fork(), id)).credits, ['reserve 1', 'refund 1']);
});

/** As `temporal workflow reset` does it, to the first task. */
async function resetToStart(workflowId: string): Promise<void> {
  const { ResetWorkflowExecutionRequest } = proto.temporal.api.workflowservice.v1;
  const reset = ResetWorkflowExecutionRequest.fromObject({
    namespace: 'default',
    workflowExecution: { workflowId },
    workflowTaskFinishEventId: 3,
    reason: 'an operator said so',
    requestId: randomUUID(),
  });
  await engine.client.workflowService.resetWorkflowExecution(reset);
}

test('a workflow that is reset to its first task goes on and completes', async () => {
  model.next(replies.rateLimited('60'));
  const id = await ingest(sample('rocket.jpg'));
  await eventually(async () => assert.match((await timeline(id)).explanation, /429/));
  await resetToStart(fileWorkflowId(id));
  assert.equal((await client.settled(id)).primary_status, 'completed');
});

test('a workflow that is reset after its verdict has fallen changes nothing and costs nothing', async () => {
  model.next(replies.rateLimited('60'));
  const id = await ingest(sample('rocket.jpg'));
  await eventually(async () => assert.match((await timeline(id)).explanation, /429/));
  const handle = engine.client.workflow.getHandle(fileWorkflowId(id));
  await handle.terminate('any\u0000 text');
  const failed = await client.settled(id, 10);
  assert.equal(failed.description_error, 'the workflow was terminated: any  text');
  const asked = model.requests.length;
  await resetToStart(fileWorkflowId(id));
  assert.deepEqual(await handle.result(), { outcome: 'superseded' });
  assert.equal((await client.get(`/files/${id}`)).body.primary_status, failed.primary_status);
  assert.equal(model.requests.length, asked);
  assert.deepEqual((await storedFacts(orm.em.fork(), id)).credits, ['reserve 1', 'refund 1']);
});

test('a file whose workflow was deleted is found and finished without being asked for', async () => {
  model.next(replies.rateLimited('60'));
  const id = await ingest(sample('rocket.jpg'));
  await eventually(async () => assert.match((await timeline(id)).explanation, /429/));
  await engine.client.workflowService.deleteWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId: fileWorkflowId(id) },
  });
  await eventually(async () => assert.equal(await describeRun(engine, id, 5000), undefined));
  const later = new Date(Date.now() + 3_600_000);
  const recover = { em: orm.em.fork(), engine, onProgress: () => undefined };
  assert.equal(await recoverLostFiles(recover, later), 1);
  await eventually(async () => {
    assert.equal((await orm.em.fork().findOneOrFail(StoredFile, id)).primaryStatus, 'completed');
  });
  assert.deepEqual(await storedFacts(orm.em.fork(), id), nothingTwice);
});

test('an API that is killed in mid upload leaves nothing that is not removed later', async () => {
  const { socket } = await send(90);
  socket.on('error', () => undefined);
  await eventually(async () => assert.notDeepEqual(await strays(), []));
  await stack.kill('api');
  await stack.start('api');
  const left = { em: orm.em.fork(), objects };
  assert.equal(await removeAbandonedObjects(left), 0, 'an upload that may still be under way was removed');
  assert.equal(await removeAbandonedObjects(left, new Date(Date.now() + 3 * 3_600_000)), 1);
  assert.deepEqual(await strays(), []);
});

test('a terminated workflow keeps the attempts of the step that it cut off', async () => {
  model.next(replies.rateLimited('60'));
  const id = await ingest(sample('rocket.jpg'));
  await eventually(async () => assert.match((await timeline(id)).explanation, /429.*attempt 2/));
  await engine.client.workflow.getHandle(fileWorkflowId(id)).terminate();
  await client.settled(id, 10);
  const step = (await timeline(id)).runs[0].steps.at(-1);
  assert.deepEqual([step.attempt, step.outcome, step.error.code], [1, 'cancelled', 'MODEL_RATE_LIMITED']);
});

test('a file that kills its decoder three times ends failed, while others proceed', async () => {
  const id = await ingest(await slowPicture());
  const killed = new Set<number>();
  const executioner = eventually(async () => {
    for (const pid of decodersOf(id)) {
      if (!killed.has(pid)) process.kill(pid, 'SIGKILL');
      killed.add(pid);
    }
    assert.equal(killed.size, 3);
  }, 60);
  const others = await Promise.all(
    ['coffee.jpg', 'chelsea.jpg', 'rocket.jpg'].map((name) => ingest(sample(name))),
  );
  for (const other of others) assert.equal((await client.settled(other)).primary_status, 'completed');
  await executioner;
  const file = await client.settled(id);
  assert.equal(file.primary_status, 'failed');
  const { runs, explanation } = await timeline(id);
  assert.equal(runs[0].steps[0].attempt, 3);
  assert.equal(runs[0].steps[0].error.code, 'DECODER_CRASHED');
  assert.match(explanation, /^Variants failed: /);
  for (const other of others) assert.equal((await timeline(other)).runs[0].steps[0].attempt, 1);
});

test('the API that is killed between row and workflow start loses nothing', async () => {
  await stack.kill('temporal');
  const id = await ingest(sample('coffee.jpg'));
  await stack.kill('api');
  await stack.start('temporal');
  await stack.start('api');
  assert.equal((await client.settled(id, 60)).primary_status, 'completed');
});

test('an object store that is away for a while delays a file and fails none', async () => {
  const id = await ingest(await slowPicture());
  await eventually(async () => assert.equal(decodersOf(id).length, 1));
  await stack.kill('s3');
  await eventually(
    async () =>
      assert.match((await timeline(id)).explanation, /the object store cannot be reached, attempt 4/),
    60,
  );
  const refused = await client.upload({ bytes: sample('coffee.jpg') });
  assert.deepEqual([refused.status, refused.body.code], [503, 'SERVICE_UNAVAILABLE']);
  assert.equal((await client.get(`${client.origin}/readyz`)).status, 503);
  await stack.start('s3');
  assert.equal((await client.settled(id, 90)).primary_status, 'completed');
});

test('a database that is away for a while delays a file and fails none', async () => {
  const id = await ingest(await slowPicture());
  await eventually(async () => assert.equal(decodersOf(id).length, 1));
  await stack.kill('postgres');
  const refused = await client.get('/files');
  assert.deepEqual([refused.status, refused.body.code], [503, 'SERVICE_UNAVAILABLE']);
  await eventually(async () => assert.deepEqual(decodersOf(id), []), 60);
  await stack.start('postgres');
  assert.equal((await client.settled(id, 90)).primary_status, 'completed');
  assert.deepEqual(await storedFacts(orm.em.fork(), id), nothingTwice);
});

test('a worker that is asked to stop finishes what it has begun', async () => {
  const id = await ingest(await slowPicture());
  await eventually(async () => assert.equal(decodersOf(id).length, 1));
  await stack.restart('worker-cpu');
  assert.equal((await client.settled(id)).primary_status, 'completed');
  assert.equal((await timeline(id)).runs[0].steps[0].attempt, 1);
});

test('an API that is asked to stop takes an upload under way to its end', async () => {
  const { socket, rest } = await send(50);
  const stopped = stack.kill('api', 'SIGTERM');
  await eventually(async () => assert.rejects(fetch(`${client.origin}/healthz`)));
  const answer = once(socket, 'data') as Promise<[Buffer]>;
  socket.write(rest);
  const [text] = await answer;
  assert.match(text.toString(), /^HTTP\/1\.1 201 /);
  const { file_id: id } = JSON.parse(/\{.*\}/s.exec(text.toString())?.[0] ?? '{}') as { file_id: string };
  await stopped;
  await eventually(async () => assert.equal(stack.pid('api'), undefined));
  await stack.start('api');
  ingested.push(id);
  await client.settled(id);
});

test('uploads over the memory of their account are refused before their body is read', async () => {
  const held = await Promise.all([hold(), hold()]);
  await eventually(async () => assert.equal(await heldMemory(), 2 * 10 * 1024 * 1024));
  const refused = await client.upload({ bytes: sample('coffee.jpg') });
  assert.deepEqual([refused.status, refused.body.code], [429, 'UPLOAD_BACKPRESSURE']);
  assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
  for (const socket of held) socket.destroy();
  await eventually(async () =>
    assert.equal((await client.upload({ bytes: sample('coffee.jpg') })).status, 201),
  );
});

for (const percent of [0, 1, 50, 99]) {
  test(`a client that vanishes at ${percent} % leaves nothing behind`, async () => {
    const [files, gone] = [await fileIds(), await vanished()];
    await vanish(percent);
    await eventually(async () => assert.equal(await vanished(), gone + 1));
    await eventually(async () => assert.deepEqual(await strays(), []));
    assert.deepEqual(await fileIds(), files);
  });
}

test('status equals history for every file that these faults touched', async () => {
  for (const id of ingested) {
    const run = await describeRun(engine, id, 5000);
    assert.ok(run, id);
    const { components, superseded } = await readRun(engine, id, run.runId, 5000);
    if (superseded) continue;
    const statuses = Object.fromEntries(
      Object.entries(components).map(([name, { status, error }]) => [name, { status, error: error ?? null }]),
    );
    assert.deepEqual((await timeline(id)).components, statuses, id);
  }
});

const audited = async (id: string): Promise<string[]> => {
  const invariant = INVARIANTS.find((known) => known.id === id);
  assert.ok(invariant, id);
  const found: string[] = [];
  for await (const breach of invariant.check(auditDeps())) found.push(breach);
  return found;
};
const auditDeps = () => ({
  em: () => orm.em.fork(),
  engine,
  objects,
  vectors,
  acknowledged: [...sent].map(([fileId, sha256]) => ({ fileId, sha256 })),
  metrics: async () => (await client.get(`${client.origin}/metrics`)).body as string,
});

for (const { id, title } of INVARIANTS) {
  test(`after all these faults ${title}`, () =>
    // What was just uploaded may still be under way.
    eventually(async () => assert.deepEqual(await audited(id), [])));
}

test('an audit names what breaks an invariant', async () => {
  const [first = '', second = ''] = ingested;
  const em = orm.em.fork();
  const { objectKey, tenantId } = await em.findOneOrFail(StoredFile, first);
  await objects.remove([objectKey]);
  await objects.put(`tenants/${tenantId}/files/stray`, Buffer.from('x'), { contentType: 'text/plain' });
  await objects.initiateMultipart(`tenants/${tenantId}/files/parts`, { contentType: 'text/plain' });
  await vectors.remove({ tenantId, fileIds: [second] });
  await em.execute('update credit_balances set used = used + 1 where tenant_id = ?', [tenantId]);
  await em.execute(`update files set primary_status = 'processing', object_key = 'elsewhere' where id = ?`, [
    second,
  ]);
  for (const [id, what] of [
    ['I1', first],
    ['I2', 'stray'],
    ['I6', tenantId],
    ['I8', 'elsewhere'],
    ['I10', 'parts'],
    ['I11', second],
  ] as const) {
    assert.match((await audited(id)).join('\n'), new RegExp(what), id);
  }
  await em.execute(`update files set primary_status = 'completed' where id = ?`, [second]);
  assert.match((await audited('I7')).join('\n'), new RegExp(second));
});

async function fileIds(): Promise<string[]> {
  const { body } = await client.get('/files?limit=100');
  return body.items.map(({ id }: { id: string }) => id);
}

/** Objects of no file, and parts of no object. */
async function strays(): Promise<string[]> {
  const known = await fileIds();
  const found: string[] = [];
  for await (const { key } of objects.list('')) {
    if (!known.some((id) => key.includes(`/files/${id}/`))) found.push(key);
  }
  for await (const { key } of objects.listIncompleteUploads('')) found.push(`parts of ${key}`);
  return found;
}

/** How many uploads the API saw break off. */
async function vanished(): Promise<number> {
  const { body } = await client.get(`${client.origin}/metrics`);
  const line = /^darkroom_http_request_seconds_count\{.*upload.*status="499".*\} (\d+)$/m;
  return Number(line.exec(body as string)?.[1] ?? 0);
}

/** Sends a share of a 12 MB upload and hangs up. */
async function vanish(percent: number): Promise<void> {
  (await send(percent)).socket.destroy();
}

async function heldMemory(): Promise<number> {
  const { body } = await client.get(`${client.origin}/metrics`);
  return Number(/^darkroom_upload_memory_bytes (\d+)$/m.exec(body as string)?.[1]);
}

/** An upload that has begun and does not go on. */
const hold = async () => (await send(1)).socket;

async function send(percent: number): Promise<{ socket: net.Socket; rest: Buffer }> {
  const { hostname, port } = new URL(stack.runInfo.api_url);
  const body = Buffer.concat([
    Buffer.from('--x\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n'),
    sample('rocket.jpg'),
    Buffer.alloc(12_000_000),
    Buffer.from('\r\n--x--\r\n'),
  ]);
  const head = `POST /api/v2/files/upload HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${stack.runInfo.api_key}\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: ${body.length}\r\n\r\n`;
  const socket = net.connect(Number(port), hostname);
  const cut = Math.floor((body.length * percent) / 100);
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.write(head);
    socket.write(body.subarray(0, cut), () => resolve());
  });
  return { socket, rest: body.subarray(cut) };
}
