import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import net from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { WorkflowNotFoundError } from '@temporalio/client';
import { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import type { AuditDeps } from '../../services/audit/invariant.ts';
import { openWork } from '../../services/audit/open-work.ts';
import { findStuckFiles } from '../../services/processing/find-stuck-files.ts';
import { recoverLostFiles } from '../../services/recovery/recover-lost-files.ts';
import { sealUploadSession } from '../../services/upload-sessions/seal-upload-session.ts';
import { fileWorkflowId, sessionWorkflowId } from '../../temporal/contract/ids.ts';
import { eventually, type Json } from '../support/api.ts';
import { collect } from '../support/collect.ts';
import { replies, type ModelReply } from '../support/model-server.ts';
import { pictures } from '../support/pictures.ts';
import { startOwnStack } from '../support/own-stack.ts';
import { storedFacts } from '../support/stored-facts.ts';

/** Breaks things in the middle of a batch, on a stack of its own. */
const own = await startOwnStack();
const { stack, client, orm, engine, model } = own;
after(() => own.stop());

const status = async (id: string): Promise<Json> => (await client.get(`/files/sessions/${id}/status`)).body;
const newest = async (): Promise<Json> => (await client.get('/files/sessions?limit=1')).body.items[0];
const results = async (id: string): Promise<Json[]> =>
  (await client.get(`/files/sessions/${id}/results?limit=500`)).body.results;
const addsUp = ({ total_files, completed_files, failed_files, skipped_files, pending_files }: Json) =>
  assert.equal(total_files, completed_files + failed_files + skipped_files + pending_files);
const nothingTwice = { variants: 4, descriptions: 1, timelines: 1, credits: ['reserve 1', 'spend 1'] };
const quick = { auto_describe: 'false' };

/** Sends two whole files and the first half of a third, then waits. */
async function halfABatch(): Promise<net.Socket> {
  const { hostname, port } = new URL(stack.runInfo.api_url);
  const head = (name: string) =>
    `--x\r\nContent-Disposition: form-data; name="files"; filename="${name}"\r\n\r\n`;
  const [one, two, torn] = await pictures(3, 300, 200);
  assert.ok(one && two && torn);
  const body = Buffer.concat([
    Buffer.from('--x\r\nContent-Disposition: form-data; name="tags"\r\n\r\nhalf\r\n'),
    ...[one, two].flatMap(({ bytes, filename }) => [Buffer.from(head(filename)), bytes, Buffer.from('\r\n')]),
    Buffer.from(head('torn.jpg')),
    torn.bytes.subarray(0, 300),
  ]);
  const socket = net.connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write(
    `POST /api/v2/files/upload/batch HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${stack.runInfo.api_key}\r\n` +
      `Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000000\r\n\r\n`,
  );
  socket.write(body);
  return socket;
}

/** The session that a half batch opened, once both of its whole files are stored. */
async function halfSession(): Promise<string> {
  return eventually(async () => {
    const { session_id: id, total_files: total } = (await newest()) ?? {};
    assert.equal(total, 3);
    const summary = (await client.get(`/files/sessions/${id}/summary`)).body;
    assert.equal(summary.counts.uploading, 1);
    return id as string;
  });
}

test('a client that vanishes in mid batch: what came is processed, the torn file is missing', async () => {
  const socket = await halfABatch();
  const id = await halfSession();
  assert.equal((await status(id)).status, 'uploading');
  socket.destroy();
  const session = await client.sessionEnded(id);
  assert.deepEqual([session.status, session.completed_files, session.failed_files], ['completed', 2, 1]);
  const [error] = session.recent_errors;
  assert.deepEqual([error.filename, error.index, error.retryable], ['torn.jpg', 2, true]);
  assert.match(error.error, /broke off/);
});

test('the API that is killed in mid batch: what came is processed, and the clock ends the session', async () => {
  await halfABatch();
  const id = await halfSession();
  await stack.kill('api');
  await stack.start('api');
  await eventually(async () => assert.equal((await status(id)).completed_files, 2));
  const waiting = await status(id);
  assert.deepEqual([waiting.status, waiting.pending_files], ['uploading', 1]);
  // Half an hour later the workflow does this by itself; nobody tells it that it is done, so the sweep has to.
  const row = await orm.em.fork().findOneOrFail(UploadSession, id);
  await sealUploadSession(orm.em.fork(), { sessionId: id, tenantId: row.tenantId }, 'expiry');
  const session = await client.sessionEnded(id, 120);
  assert.deepEqual([session.status, session.completed_files, session.failed_files], ['expired', 2, 1]);
  assert.equal((await client.post(`/files/sessions/${id}/cancel`, {})).status, 400);
});

test('a file whose announcement is lost in an open batch is processed all the same', async () => {
  const socket = await halfABatch();
  const id = await halfSession();
  await eventually(async () => assert.equal((await status(id)).completed_files, 2));
  await stack.kill('temporal');
  const [late] = await pictures(1, 300, 200);
  assert.ok(late);
  // Ends the file that was torn so far, and sends another whole one.
  const head = `\r\n--x\r\nContent-Disposition: form-data; name="files"; filename="late.jpg"\r\n\r\n`;
  socket.write(Buffer.concat([Buffer.from(head), late.bytes, Buffer.from('\r\n--x\r\n')]));
  await eventually(async () => assert.equal((await fileIds(id)).length, 4));
  await stack.kill('api');
  await stack.start('temporal');
  await stack.start('api');
  await eventually(async () => {
    const { status: now, completed_files: done, failed_files: failed } = await status(id);
    assert.deepEqual([now, done, failed], ['uploading', 3, 1]);
  }, 150);
});

test('workers that are killed in mid batch: every file completes, with nothing twice', async () => {
  const { body } = await client.batch(await pictures(12, 300, 200));
  const id = body.session_id;
  await eventually(async () => assert.ok((await status(id)).completed_files > 0));
  await Promise.all([stack.kill('worker'), stack.kill('worker-cpu')]);
  addsUp(await status(id));
  await Promise.all([stack.start('worker'), stack.start('worker-cpu')]);
  const session = await client.sessionEnded(id, 120);
  assert.deepEqual([session.status, session.completed_files], ['completed', 12]);
  for (const { file_id: fileId } of await results(id)) {
    assert.deepEqual(await storedFacts(orm.em.fork(), fileId), nothingTwice);
  }
});

test('a batch of duplicates or of rejections alone has ended with its answer, with no worker there', async () => {
  const same = await pictures(2);
  await client.sessionEnded((await client.batch(same, quick)).body.session_id);
  await stack.kill('worker');
  const duplicates = (await client.batch(same, { ...quick, skip_duplicates: 'true' })).body;
  const bad = (await client.batch([{ bytes: Buffer.from('no picture'), filename: 'bad.jpg' }], quick)).body;
  assert.deepEqual([duplicates.status, bad.status], ['completed', 'rejected']);
  for (const [batch, ended] of [
    [duplicates, 'completed'],
    [bad, 'failed'],
  ]) {
    const session = await status(batch.session_id);
    assert.deepEqual([session.status, session.pending_files], [ended, 0]);
    addsUp(session);
  }
  await stack.start('worker');
  for (const { session_id: id } of [duplicates, bad]) {
    const handle = engine.client.workflow.getHandle(sessionWorkflowId(id));
    await eventually(async () => assert.equal((await handle.describe()).status.name, 'COMPLETED'), 90);
  }
});

test('the engine is down during a batch: 201, a pause is kept, and all is processed when it is back', async () => {
  await stack.kill('temporal');
  const { status: answered, body } = await client.batch(await pictures(7, 300, 200), { ...quick });
  assert.equal(answered, 201);
  const id = body.session_id;
  assert.equal((await status(id)).pending_files, 7);
  assert.equal((await client.post(`/files/sessions/${id}/pause`, {})).body.paused, true);
  await stack.start('temporal');
  await eventually(
    async () => assert.ok(await engine.client.workflow.getHandle(sessionWorkflowId(id)).describe()),
    90,
  );
  // Reading a file must not start what its session holds back.
  const [fileId] = await fileIds(id);
  assert.ok(fileId);
  assert.equal((await client.get(`/files/${fileId}`)).body.primary_status, 'pending');
  await assert.rejects(engine.client.workflow.getHandle(fileWorkflowId(fileId)).describe());
  assert.equal((await client.post(`/files/sessions/${id}/resume`, {})).status, 200);
  const session = await client.sessionEnded(id, 60);
  assert.deepEqual([session.status, session.completed_files], ['completed', 7]);
});

const exec = promisify(execFile);

/** A batch whose files are all in the midst of their description, and then paused; `answer` lets the model answer. */
async function pausedBatch(count: number): Promise<{ id: string; ids: string[]; answer: () => void }> {
  const held: Parameters<ModelReply>[] = [];
  let answered = false;
  model.otherwise((...call) => (answered ? replies.ok()(...call) : void held.push(call)));
  const { body } = await client.batch(await pictures(count));
  const id = body.session_id;
  const ids = await fileIds(id);
  for (const fileId of ids) {
    await eventually(async () => assert.match(await explanation(fileId), /^Description /), 90);
  }
  assert.equal((await client.post(`/files/sessions/${id}/pause`, {})).body.paused, true);
  for (const fileId of ids) {
    const told = /^Description .*, then paused with its batch since \d\d:\d\d:\d\d UTC; .*\/resume\.$/;
    await eventually(async () => assert.match(await explanation(fileId), told));
  }
  const answer = () => {
    answered = true;
    for (const call of held) replies.ok()(...call);
  };
  return { id, ids, answer };
}

const explanation = async (fileId: string): Promise<string> =>
  (await client.get(`/files/${fileId}/timeline`)).body.explanation;

/** Nothing is under way any more, and the file says why. */
const holds = (fileId: string, sessionId: string) =>
  eventually(async () => {
    const { body } = await client.get(`/files/${fileId}/processing-status`);
    assert.match(body.explanation, /^The file is paused with its batch since /);
    assert.ok(body.explanation.endsWith(`POST /files/sessions/${sessionId}/resume.`));
    const { steps, status: now } = body.components.description;
    const said = steps.map(({ step, status: done }: Json) => `${step} ${done}`);
    assert.deepEqual(
      [now, ...said],
      ['processing', 'readText completed', 'describeImage completed', 'indexImage pending'],
    );
  });

test('a small batch that is paused begins no further step, says so, and completes when it is resumed', async () => {
  const { id, ids, answer } = await pausedBatch(4);
  answer();
  for (const fileId of ids) await holds(fileId, id);
  assert.deepEqual([(await status(id)).completed_files, (await status(id)).pending_files], [0, 4]);

  const { tenantId } = await orm.em.fork().findOneOrFail(UploadSession, id);
  const stuck = await findStuckFiles({ em: orm.em.fork(), engine }, tenantId, { patienceMs: 1, limit: 10 });
  assert.deepEqual(
    stuck.stuck.filter(({ file }) => ids.includes(file.id)),
    [],
  );
  const command = ['cli/status/main.ts', ids[0] ?? '', '--run', join(stack.home, 'run.json')];
  assert.match((await exec(process.execPath, command)).stdout, /They agree\./);

  assert.equal((await client.post(`/files/sessions/${id}/resume`, {})).status, 200);
  const session = await client.sessionEnded(id);
  assert.deepEqual([session.status, session.completed_files], ['completed', 4]);
  for (const fileId of ids) assert.deepEqual(await storedFacts(orm.em.fork(), fileId), nothingTwice);
});

test('files that hold are let go when the workflow of their session is ended from outside', async () => {
  const { id, ids, answer } = await pausedBatch(1);
  answer();
  for (const fileId of ids) await holds(fileId, id);
  await engine.client.workflow.getHandle(sessionWorkflowId(id)).terminate('an operator said so');
  assert.equal((await client.sessionEnded(id, 30)).status, 'failed');
  for (const fileId of ids) assert.equal((await client.settled(fileId)).primary_status, 'completed');
});

/** Removes the workflow of a session with its history, as an engine that lost its data does. */
async function loseWorkflow(sessionId: string): Promise<void> {
  const handle = engine.client.workflow.getHandle(sessionWorkflowId(sessionId));
  const workflowExecution = { workflowId: handle.workflowId, runId: (await handle.describe()).runId };
  await engine.client.workflowService.deleteWorkflowExecution({ namespace: 'default', workflowExecution });
  await eventually(() => assert.rejects(handle.describe(), WorkflowNotFoundError));
}

test('a cancellation stops files that hold, also when the workflow of their session is gone', async () => {
  const { id, ids, answer } = await pausedBatch(2);
  answer();
  for (const fileId of ids) await holds(fileId, id);
  await loseWorkflow(id);
  const cancelled = (await client.post(`/files/sessions/${id}/cancel`, {})).body;
  assert.deepEqual([cancelled.status, cancelled.paused], ['cancelled', false]);
  for (const fileId of ids) {
    const file = await client.settled(fileId);
    assert.equal(file.primary_status, 'partially_completed');
    assert.deepEqual((await storedFacts(orm.em.fork(), fileId)).credits, ['reserve 1', 'refund 1']);
  }
});

test('a session that begins anew while it is paused knows what it holds', async () => {
  const { id, ids, answer } = await pausedBatch(2);
  answer();
  for (const fileId of ids) await holds(fileId, id);
  await loseWorkflow(id);
  assert.equal((await status(id)).paused, true);
  assert.equal((await client.post(`/files/sessions/${id}/resume`, {})).status, 200);
  const session = await client.sessionEnded(id);
  assert.deepEqual([session.status, session.completed_files], ['completed', 2]);
});

test('a file that holds with a session that is not paused is named by the audit, and found by the search for lost work', async () => {
  const { id, ids, answer } = await pausedBatch(1);
  await orm.em.fork().nativeUpdate(UploadSession, { id }, { pausedAt: null });
  answer();
  for (const fileId of ids) await holds(fileId, id);
  const deps = { em: () => orm.em.fork(), engine } as AuditDeps;
  const breaches = (await collect(openWork.check(deps))).filter((line) =>
    ids.some((one) => line.includes(one)),
  );
  assert.match(breaches.join(), /^file \S+ is open and at work or held, its session \S+ processing$/);
  const later = new Date(Date.now() + 3_600_000);
  await recoverLostFiles({ em: orm.em.fork(), engine, onProgress: () => undefined }, later);
  assert.equal((await client.sessionEnded(id)).status, 'completed');
});

test('a cancellation stops what is at work, refunds it, and leaves the rest never started', async () => {
  for (let call = 0; call < 60; call += 1) model.next(replies.rateLimited('60'));
  const { body } = await client.batch(await pictures(60, 300, 200));
  const id = body.session_id;
  await eventually(async () => assert.ok(model.requests.length > 0));
  const cancelled = (await client.post(`/files/sessions/${id}/cancel`, {})).body;
  assert.equal(cancelled.status, 'cancelled');
  addsUp(cancelled);
  const handle = engine.client.workflow.getHandle(sessionWorkflowId(id));
  await eventually(async () => assert.equal((await handle.describe()).status.name, 'COMPLETED'), 90);
  const session = await status(id);
  assert.equal(session.status, 'cancelled');
  assert.ok(session.pending_files >= 10, JSON.stringify(session));
  addsUp(session);
  for (const fileId of await fileIds(id)) {
    const file = (await client.get(`/files/${fileId}`)).body;
    assert.ok(
      !['pending', 'processing'].includes(file.primary_status),
      `${fileId} is ${file.primary_status}`,
    );
    assert.deepEqual((await storedFacts(orm.em.fork(), fileId)).credits, ['reserve 1', 'refund 1']);
  }
});

test('a session whose workflow was terminated is failed within seconds, and a retry takes it up again', async () => {
  const { body } = await client.batch(await pictures(3, 300, 200), quick);
  await client.sessionEnded(body.session_id);
  await Promise.all([stack.kill('worker'), stack.kill('worker-cpu')]);
  const cut = (await client.batch(await pictures(3, 300, 200), quick)).body;
  const id = cut.session_id;
  await engine.client.workflow.getHandle(sessionWorkflowId(id)).terminate('an operator said so');
  const session = await client.sessionEnded(id, 10);
  assert.deepEqual([session.status, session.failed_files], ['failed', 3]);
  assert.match(session.error_message, /terminated/);
  await Promise.all([stack.start('worker'), stack.start('worker-cpu')]);
  const retried = await client.post(`/files/sessions/${id}/retry-failed`, {});
  assert.deepEqual([retried.status, retried.body.retried_files], [202, 3]);
  const second = await client.sessionEnded(id);
  assert.deepEqual([second.status, second.completed_files], ['completed', 3]);
});

/** Of all files that were stored in a session. */
async function fileIds(sessionId: string): Promise<string[]> {
  const rows = await orm.em
    .fork()
    .execute<{ id: string }[]>('select id from files where session_id = ? order by id', [sessionId]);
  return rows.map(({ id }) => id);
}
