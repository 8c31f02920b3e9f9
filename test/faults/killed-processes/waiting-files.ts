import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { CreditEntry } from '../../../db/entities/accounts/credit-entry.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { UploadSession } from '../../../db/entities/upload-sessions/upload-session.ts';
import { reservationId } from '../../../domain/accounts/credits.ts';
import type { StuckCause } from '../../../domain/stuck.ts';
import { findStuckFiles } from '../../../services/processing/find-stuck-files.ts';
import { observeFile } from '../../../services/processing/observe-file.ts';
import { unifiedStatusOf } from '../../../services/processing/unified-status-of.ts';
import { summarizeUploadSession } from '../../../services/upload-sessions/summarize-upload-session.ts';
import { describeRun } from '../../../temporal/status/describe-run.ts';
import { createLastSeenOf } from '../../../temporal/status/task-queues.ts';
import { eventually, type Json } from '../../support/api.ts';
import { replies, type ModelReply } from '../../support/model-server.ts';
import { demoImage } from '../../support/images.ts';
import { overdue } from './overdue.ts';
import { own } from './stack.ts';
import { FILE_WORKFLOWS } from '../../../temporal/contract/process-file.ts';

/** The status of files that wait for a model, for a worker, or for a retry. */
const { stack, orm, engine, model } = own;
const { client, tenantId } = await own.newTenant();

const PATIENCE_MS = 3000;
/** An image whose text takes a while to read. */
const SCREENSHOT = new URL('../../../docs/images/session-timeline.png', import.meta.url);
const processing = async (id: string): Promise<Json> =>
  (await client.get(`/files/${id}/processing-status`)).body;
const uploadStatus = async (id: string): Promise<Json> =>
  (await client.get(`/files/uploads-status/${id}?stuck_minutes=1`)).body;
const variantHash = async (id: string) =>
  createHash('sha256')
    .update((await client.follow(`/files/${id}/variant/medium_750`)).bytes)
    .digest('hex');

async function stuckFiles(patienceMs: number, limit = 10): Promise<[string, StuckCause | undefined][]> {
  const deps = { em: orm.em.fork(), engine, visionProviders: [] };
  const { stuck, complete } = await findStuckFiles(deps, tenantId, { patienceMs, limit });
  assert.equal(complete, limit === 10);
  return stuck.map((status) => [status.file.id, status.stuck?.cause]);
}

/** The unified status as the API computes it, but with a threshold below the API's minimum. */
async function unified(id: string, patienceMs: number) {
  const em = orm.em.fork();
  const seen = await observeFile({ em, engine }, await em.findOneOrFail(StoredFile, id));
  return unifiedStatusOf({ em, lastSeenOf: createLastSeenOf(engine, 1000) }, seen, patienceMs);
}

test('a rate-limited model appears in the explanation, in the step, and as the cause of a stuck file', async (context) => {
  model.otherwise(replies.rateLimited('600'));
  const waiting = await client.ingest({ bytes: demoImage('chelsea.jpg') });
  await eventually(async () => {
    const status = await processing(waiting);
    assert.match(
      status.explanation,
      /^Description waiting: the model endpoint answered 429.*, attempt 2, next try \d\d:\d\d:\d\d UTC\.$/,
    );
    const { variant, description } = status.components;
    assert.equal(variant.status, 'completed');
    assert.equal(description.status, 'processing');
    assert.deepEqual(
      description.steps.map(({ step, status: now, attempt }: Json) => [step, now, attempt]),
      [
        ['readText', 'completed', 1],
        ['describeImage', 'queued', 1],
        ['indexImage', 'pending', 0],
      ],
    );
    assert.match(description.steps[1].error_message, /429/);
  });
  const fresh = await uploadStatus(waiting);
  assert.equal(fresh.unified_status, 'processing');
  assert.equal(fresh.is_stuck, false);
  assert.match(fresh.error_message, /429/);
  assert.ok(Date.parse(fresh.last_error_at));
  await eventually(async () => {
    assert.deepEqual(await stuckFiles(1000), [[waiting, 'waiting_external']]);
  });
  assert.deepEqual(await stuckFiles(3_600_000), []);

  await stack.kill('worker-cpu');
  context.after(() => (stack.pid('worker-cpu') === undefined ? stack.start('worker-cpu') : undefined));
  const untaken = await client.ingest({ bytes: demoImage('coffee.jpg') });
  await eventually(async () => {
    const [first, second] = [await unified(waiting, PATIENCE_MS), await unified(untaken, PATIENCE_MS)];
    assert.deepEqual([first.stuck?.cause, second.stuck?.cause], ['waiting_external', 'no_worker']);
    assert.equal(second.unified, 'queued');
    assert.ok(Date.now() - Number(second.stuck?.lastSignOfLifeAt) >= PATIENCE_MS);
  });
  for (const id of [waiting, untaken]) assert.equal((await unified(id, 3_600_000)).stuck, undefined);
  assert.deepEqual(await stuckFiles(PATIENCE_MS), [
    [waiting, 'waiting_external'],
    [untaken, 'no_worker'],
  ]);
  assert.equal((await stuckFiles(PATIENCE_MS, 1)).length, 1);

  model.otherwise(replies.ok());
  await stack.start('worker-cpu');
  assert.equal((await client.settled(untaken)).primary_status, 'completed');
  const ended = await uploadStatus(untaken);
  assert.deepEqual([ended.is_stuck, ended.cause, ended.is_terminal], [false, null, true]);
});

test('a workflow that no worker polls is stuck with cause no_worker', async () => {
  await stack.kill('worker');
  const id = await client.ingest({ bytes: demoImage('coffee.jpg') });
  const causeOf = async () => (await stuckFiles(5000)).find(([stuck]) => stuck === id)?.[1];
  await eventually(async () => assert.equal(await causeOf(), 'no_worker'), 90);
  await stack.start('worker');
  assert.equal((await client.settled(id)).primary_status, 'completed');
});

test('between two steps a component stays processing, even without a worker for the workflow', async () => {
  const id = await client.ingest({ bytes: readFileSync(SCREENSHOT) });
  const readText = async () => (await processing(id)).components.description.steps[0].status;
  await eventually(async () => {
    // The fast path must be over, which may have begun to read the text: it records the variants when it ends.
    assert.equal((await processing(id)).components.variant.status, 'completed');
    assert.equal(await readText(), 'processing');
  });
  await stack.kill('worker');
  await eventually(async () => assert.equal(await readText(), 'completed'), 60);
  assert.equal((await processing(id)).components.description.status, 'processing');
  assert.equal((await client.get(`/files/${id}`)).body.description_status, 'processing');
  await stack.start('worker');
  assert.equal((await client.settled(id, 60)).primary_status, 'completed');
});

test('the summary of a session counts stuck files by the same rules', async () => {
  model.otherwise(replies.rateLimited('600'));
  const { body } = await client.batch([{ bytes: demoImage('rocket.jpg'), filename: 'rocket.jpg' }]);
  const session = await orm.em.fork().findOneOrFail(UploadSession, { id: body.session_id });
  const stuck = async (patienceMs: number) =>
    (await summarizeUploadSession({ em: orm.em.fork(), engine, visionProviders: [] }, session, patienceMs))
      .counts.stuck;
  await eventually(async () => assert.equal(await stuck(1000), 1));
  assert.equal(await stuck(3_600_000), 0);
  assert.equal((await client.get(`/files/sessions/${body.session_id}/summary`)).body.counts.stuck, 0);
  model.otherwise(replies.ok());
  await client.post(`/files/sessions/${body.session_id}/cancel`, {});
  await eventually(async () => assert.equal(await stuck(1), 0));
});

test('an image is described by the first provider that its tenant allows', async () => {
  const choosy = await own.newTenant();
  await orm.em.fork().nativeUpdate(Tenant, choosy.tenantId, { allowedVlmProviders: ['anthropic', 'google'] });
  const asked = model.requests.length;
  const settled = await choosy.client.settled(await choosy.ingest(demoImage('rocket.jpg')));
  assert.deepEqual(
    settled.full_descriptions.map(({ provider, model: name }: Json) => [provider, name]),
    [['google', 'second-model']],
  );
  assert.deepEqual(
    model.requests.slice(asked).map(({ body }) => (body as Json).model),
    ['second-model'],
  );
});

test('an image is described without a model if the tenant does not allow its provider', async () => {
  const careful = await own.newTenant();
  await orm.em.fork().nativeUpdate(Tenant, careful.tenantId, { allowedVlmProviders: ['anthropic'] });
  const asked = model.requests.length;
  const settled = await careful.client.settled(await careful.ingest(demoImage('rocket.jpg')));
  assert.equal(settled.primary_status, 'completed');
  assert.match(settled.upload_description, /without a vision model/);
  assert.deepEqual(
    settled.full_descriptions.map(({ provider }: Json) => provider),
    ['local'],
  );
  assert.equal(model.requests.length, asked);
});

test('a file whose slow model call heartbeats is never stuck', async () => {
  const asked = Promise.withResolvers<Parameters<ModelReply>>();
  model.next((...call) => asked.resolve(call));
  const id = await client.ingest({ bytes: demoImage('coffee.jpg') });
  const call = await asked.promise;
  const begun = Date.now();
  await eventually(async () => {
    const stuck = (await stuckFiles(PATIENCE_MS)).map(([found]) => found);
    assert.ok(!stuck.includes(id), 'a file whose step heartbeats is reported as stuck');
    assert.ok(Date.now() - begun > PATIENCE_MS + 2000, 'not yet slow');
  });
  replies.ok()(...call);
  assert.equal((await client.settled(id)).primary_status, 'completed');
});

test('a deletion during the model call ends the run and refunds the credit, and a restore describes the image', async () => {
  const asked = Promise.withResolvers<void>();
  model.next(() => asked.resolve());
  const id = await client.ingest({ bytes: demoImage('coffee.jpg') });
  await asked.promise;
  assert.equal((await client.delete(`/files/${id}`)).status, 200);

  const rowOf = () => orm.em.fork().findOneOrFail(StoredFile, { id });
  const ledger = async (generation: number) =>
    (
      await orm.em
        .fork()
        .find(CreditEntry, { reservationId: reservationId(id, generation) }, { orderBy: { closes: 'asc' } })
    ).map(({ kind }) => kind);
  const trashed = await rowOf();
  const { variant, description } = trashed.components;
  assert.deepEqual([variant?.status, description?.cause], ['completed', 'cancelled']);
  assert.equal(trashed.primaryStatus, 'partially_completed');
  assert.deepEqual(await ledger(1), ['reserve', 'refund']);
  await eventually(async () => assert.equal((await describeRun(engine, id, 5000))?.outcome, 'cancelled'));
  const still = await rowOf();
  assert.deepEqual([still.components, still.uploadDescription], [trashed.components, null]);

  assert.deepEqual((await client.post(`/files/${id}/restore`, {})).body.resumed, ['description']);
  assert.equal((await client.settled(id)).primary_status, 'completed');
  assert.deepEqual(await ledger(2), ['reserve', 'spend']);
  assert.equal((await client.get(`/files/${id}/similar`)).status, 200);
  const { body } = await client.get(`/files/${id}/timeline`);
  assert.deepEqual(
    body.runs.map(({ generation, outcome }: Json) => [generation, outcome]),
    [
      [1, 'cancelled'],
      [2, 'completed'],
    ],
  );
});

test('retrying a failed description leaves the variants unchanged', async () => {
  model.next(replies.content(null, { refusal: 'I cannot help with that.' }));
  const id = await client.ingest({ bytes: demoImage('rocket.jpg') });
  const failed = await client.settled(id);
  assert.equal(failed.primary_status, 'partially_completed');
  assert.equal(failed.description_error, 'the model refused to answer');
  const hash = await variantHash(id);
  const before = await processing(id);

  const retry = await client.post(`/files/${id}/retry`, {});
  assert.deepEqual(retry.body.retried, ['description']);
  assert.equal((await client.settled(id)).primary_status, 'completed');
  assert.equal(await variantHash(id), hash);
  const redone = await processing(id);
  assert.deepEqual(redone.components.variant, before.components.variant);
  assert.equal(redone.components.description.status, 'completed');
  assert.equal((await uploadStatus(id)).retry_count, 1);
});

test('the API reports a file as stuck after a minute, which is the minimum threshold', async () => {
  const ask = async (minutes: number): Promise<Json> =>
    (await overdue.client.get(`/files/uploads-status/${overdue.fileId}?stuck_minutes=${minutes}`)).body;
  // It has been waiting since the stack was started.
  await eventually(async () => {
    const { is_stuck: stuck, cause, last_sign_of_life_at: at } = await ask(1);
    assert.deepEqual([stuck, cause], [true, 'waiting_external']);
    assert.ok(Date.now() - Date.parse(at) >= 60_000);
  }, 90);
  assert.deepEqual([(await ask(60)).is_stuck, (await ask(60)).cause], [false, null]);
  await engine.client.workflow.getHandle(FILE_WORKFLOWS.of(overdue.fileId)).terminate('seen enough');
  await overdue.client.settled(overdue.fileId);
});
