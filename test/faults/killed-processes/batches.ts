import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBatches as createClientBatches } from '../../../lab/chaos/deliver-batch.ts';
import { ConnectionError } from '../../../sdk/src/index.ts';
import { createHttp, type Http } from '../../../lab/shared/http.ts';
import { UploadSession } from '../../../db/entities/upload-sessions/upload-session.ts';
import { sealUploadSession } from '../../../services/upload-sessions/seal-upload-session.ts';
import { assertCountsAddUp, eventually } from '../../support/api.ts';
import { createBatches, UNDESCRIBED } from '../../support/batches.ts';
import { replies } from '../../support/model-server.ts';
import { images, uniqueImage } from '../../support/images.ts';
import { NO_DUPLICATES, storedFacts } from '../../support/stored-facts.ts';
import { own } from './stack.ts';
import { UPLOAD_SESSION_WORKFLOWS } from '../../../temporal/contract/upload-session.ts';

/** Processes killed during a batch. */
const { stack, orm, engine, model } = own;
const tenant = await own.newTenant();
const { client } = tenant;
const { status, results, fileIds, sendHalfBatch, halfSession } = createBatches(own, tenant);

test('when a client disconnects during a batch, its complete files are processed and the truncated one fails', async () => {
  const socket = await sendHalfBatch();
  const id = await halfSession();
  assert.equal((await status(id)).status, 'uploading');
  socket.destroy();
  const session = await client.sessionEnded(id);
  assert.deepEqual([session.status, session.completed_files, session.failed_files], ['completed', 2, 1]);
  const [error] = session.recent_errors;
  assert.deepEqual([error.filename, error.index, error.retryable], ['torn.jpg', 2, true]);
  assert.match(error.error, /broke off/);
});

test('when the API is killed during a batch, the received files are processed and a timeout ends the session', async () => {
  await sendHalfBatch();
  const id = await halfSession();
  await stack.kill('api');
  await stack.start('api');
  await eventually(async () => assert.equal((await status(id)).completed_files, 2));
  const waiting = await status(id);
  assert.deepEqual([waiting.status, waiting.pending_files], ['uploading', 1]);
  // The workflow seals the session after half an hour. Here only the row changes, without a signal, so the
  // sweep has to end the workflow.
  const row = await orm.em.fork().findOneOrFail(UploadSession, id);
  await sealUploadSession(orm.em.fork(), { sessionId: id, tenantId: row.tenantId }, 'expiry');
  const session = await client.sessionEnded(id, 120);
  assert.deepEqual([session.status, session.completed_files, session.failed_files], ['expired', 2, 1]);
  assert.equal((await client.post(`/files/sessions/${id}/cancel`, {})).status, 400);
});

test('a client that loses the responses to its batch and its cancellation still gets the ids of the stored files', async () => {
  const { signal } = new AbortController();
  const real = createHttp({ apiUrl: stack.runInfo.api_url, apiKey: tenant.apiKey, signal });
  let kills = 0;
  const cancellations: number[] = [];
  const http: Http = {
    ...real,
    async once(...request) {
      if (kills > 0) return real.once(...request);
      kills += 1;
      await sendHalfBatch();
      await halfSession();
      await stack.kill('api');
      await stack.start('api');
      throw new ConnectionError('CONNECTION_LOST', 'the API was killed');
    },
    async sendWithRetries(method, path, init) {
      const answer = await real.sendWithRetries(method, path, init);
      if (!path.endsWith('/cancel')) return answer;
      // Drops the first response, so that the request is repeated.
      const again = await real.sendWithRetries(method, path, init);
      cancellations.push(answer.status, again.status);
      return again;
    },
  };
  const torn = await uniqueImage();
  const refused: string[] = [];
  const batches = createClientBatches({
    http,
    contentOf: () => Promise.resolve({ bytes: Buffer.from(torn), sha256: '' }),
    onRefused: ({ message }) => refused.push(message),
    signal,
  });
  const names = ['image-0.jpg', 'image-1.jpg', 'torn.jpg'];
  await batches.send(
    names.map((name, content) => ({ name, content })),
    true,
  );
  const ids = await batches.collect();
  assert.deepEqual(refused, []);
  assert.deepEqual(cancellations, [200, 400]);
  assert.deepEqual([...ids.keys()].toSorted(), names);
});

test('after workers are killed during a batch, every file completes without duplicates', async () => {
  const { body } = await client.batch(await images(12, 300, 200));
  const id = body.session_id;
  await eventually(async () => assert.ok((await status(id)).completed_files > 0));
  await Promise.all([stack.kill('worker'), stack.kill('worker-cpu')]);
  assertCountsAddUp(await status(id));
  await Promise.all([stack.start('worker'), stack.start('worker-cpu')]);
  const session = await client.sessionEnded(id, 120);
  assert.deepEqual([session.status, session.completed_files], ['completed', 12]);
  for (const { file_id: fileId } of await results(id)) {
    assert.deepEqual(await storedFacts(orm.em.fork(), fileId), NO_DUPLICATES);
  }
});

test('a batch of only duplicates or rejections ends with its response, even without a worker', async () => {
  const same = await images(2);
  await client.sessionEnded((await client.batch(same, UNDESCRIBED)).body.session_id);
  await stack.kill('worker');
  const duplicates = (await client.batch(same, { ...UNDESCRIBED, skip_duplicates: 'true' })).body;
  const bad = (await client.batch([{ bytes: Buffer.from('no image'), filename: 'bad.jpg' }], UNDESCRIBED))
    .body;
  assert.deepEqual([duplicates.status, bad.status], ['completed', 'rejected']);
  for (const [batch, ended] of [
    [duplicates, 'completed'],
    [bad, 'failed'],
  ]) {
    const session = await status(batch.session_id);
    assert.deepEqual([session.status, session.pending_files], [ended, 0]);
    assertCountsAddUp(session);
  }
  await stack.start('worker');
  for (const { session_id: id } of [duplicates, bad]) {
    const handle = engine.client.workflow.getHandle(UPLOAD_SESSION_WORKFLOWS.of(id));
    await eventually(async () => assert.equal((await handle.describe()).status.name, 'COMPLETED'), 90);
  }
});

test('a cancellation stops and refunds files in progress and starts no others', async (context) => {
  model.otherwise(replies.rateLimited('60'));
  context.after(() => model.otherwise(replies.ok()));
  const asked = model.requests.length;
  const { body } = await client.batch(await images(60, 300, 200));
  const id = body.session_id;
  await eventually(async () => assert.ok(model.requests.length > asked));
  const cancelled = (await client.post(`/files/sessions/${id}/cancel`, {})).body;
  assert.equal(cancelled.status, 'cancelled');
  assertCountsAddUp(cancelled);
  const handle = engine.client.workflow.getHandle(UPLOAD_SESSION_WORKFLOWS.of(id));
  await eventually(async () => assert.equal((await handle.describe()).status.name, 'CANCELLED'), 90);
  const session = await status(id);
  assert.equal(session.status, 'cancelled');
  assert.ok(session.pending_files >= 10, JSON.stringify(session));
  assertCountsAddUp(session);
  for (const fileId of await fileIds(id)) {
    const file = (await client.get(`/files/${fileId}`)).body;
    assert.ok(
      !['pending', 'processing'].includes(file.primary_status),
      `${fileId} is ${file.primary_status}`,
    );
    assert.deepEqual((await storedFacts(orm.em.fork(), fileId)).credits, ['reserve 1', 'refund 1']);
  }
});

test('a session with a terminated workflow fails within seconds, and a retry resumes it', async () => {
  const { body } = await client.batch(await images(3, 300, 200), UNDESCRIBED);
  await client.sessionEnded(body.session_id);
  await Promise.all([stack.kill('worker'), stack.kill('worker-cpu')]);
  const cut = (await client.batch(await images(3, 300, 200), UNDESCRIBED)).body;
  const id = cut.session_id;
  await engine.client.workflow.getHandle(UPLOAD_SESSION_WORKFLOWS.of(id)).terminate('an operator said so');
  const session = await client.sessionEnded(id, 10);
  assert.deepEqual([session.status, session.failed_files], ['failed', 3]);
  assert.match(session.error_message, /terminated/);
  await Promise.all([stack.start('worker'), stack.start('worker-cpu')]);
  const retried = await client.post(`/files/sessions/${id}/retry-failed`, {});
  assert.deepEqual([retried.status, retried.body.retried_files], [202, 3]);
  const second = await client.sessionEnded(id);
  assert.deepEqual([second.status, second.completed_files], ['completed', 3]);
});
