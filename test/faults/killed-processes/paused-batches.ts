import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { WorkflowNotFoundError } from '@temporalio/client';
import { findStuckFiles } from '../../../services/processing/find-stuck-files.ts';
import { eventually, type Json } from '../../support/api.ts';
import { createBatches } from '../../support/batches.ts';
import { replies, type ModelReply } from '../../support/model-server.ts';
import { images } from '../../support/images.ts';
import { NO_DUPLICATES, storedFacts } from '../../support/stored-facts.ts';
import { own } from './stack.ts';
import { UPLOAD_SESSION_WORKFLOWS } from '../../../temporal/contract/upload-session.ts';

/** Batches paused during the description of each file. */
const { stack, orm, engine, model } = own;
const tenant = await own.newTenant();
const { client, apiKey, tenantId } = tenant;
const { status, fileIds } = createBatches(own, tenant);
const exec = promisify(execFile);

/** A batch that was paused while all its files were being described; `answer` makes the model reply. */
async function pausedBatch(count: number): Promise<{ id: string; ids: string[]; answer: () => void }> {
  const held: Parameters<ModelReply>[] = [];
  let answered = false;
  model.otherwise((...call) => (answered ? replies.ok()(...call) : void held.push(call)));
  const { body } = await client.batch(await images(count));
  const id = body.session_id;
  const ids = await fileIds(id);
  await eventually(() => Promise.resolve(assert.equal(held.length, count)), 90);
  for (const fileId of ids) {
    await eventually(async () => assert.match(await explanation(fileId), /^Description /));
  }
  assert.equal((await client.post(`/files/sessions/${id}/pause`, {})).body.paused, true);
  for (const fileId of ids) {
    const expected =
      /^Description .*, then paused with its upload session since \d\d:\d\d:\d\d UTC; .*\/resume\.$/;
    await eventually(async () => assert.match(await explanation(fileId), expected));
  }
  const answer = () => {
    answered = true;
    for (const call of held) replies.ok()(...call);
  };
  return { id, ids, answer };
}

const explanation = async (fileId: string): Promise<string> =>
  (await client.get(`/files/${fileId}/timeline`)).body.explanation;

/** Waits until the file is paused: no step is running, and its explanation reports the pause. */
const untilPaused = (fileId: string, sessionId: string) =>
  eventually(async () => {
    const { body } = await client.get(`/files/${fileId}/processing-status`);
    assert.match(body.explanation, /^The file is paused with its upload session since /);
    assert.ok(body.explanation.endsWith(`POST /files/sessions/${sessionId}/resume.`));
    const { steps, status: now } = body.components.description;
    const states = steps.map(({ step, status: done }: Json) => `${step} ${done}`);
    assert.deepEqual(
      [now, ...states],
      ['processing', 'readText completed', 'describeImage completed', 'indexImage queued'],
    );
  });

test('a paused batch starts no further step, reports the pause, and completes when it is resumed', async () => {
  const { id, ids, answer } = await pausedBatch(4);
  answer();
  for (const fileId of ids) await untilPaused(fileId, id);
  assert.deepEqual([(await status(id)).completed_files, (await status(id)).pending_files], [0, 4]);

  const stuck = await findStuckFiles({ em: orm.em.fork(), engine, visionProviders: [] }, tenantId, {
    patienceMs: 1,
    limit: 10,
  });
  assert.deepEqual(
    stuck.stuck.filter(({ file }) => ids.includes(file.id)),
    [],
  );
  const command = (env: NodeJS.ProcessEnv, ...options: string[]) =>
    exec(process.execPath, ['cli/status/main.ts', ids[0] ?? '', ...options], { env });
  const all = { ...process.env, ...stack.env };
  const remote = ['--url', stack.runInfo.api_url, '--key', apiKey];
  assert.match((await command(all)).stdout, /They agree\./);
  assert.match((await command(all, ...remote)).stdout, /They agree\./);
  // On a machine that reaches the API alone, it is shown alone.
  await assert.rejects(command({ PATH: process.env['PATH'] }, ...remote), {
    code: 2,
    stdout: /paused with its upload session/,
    stderr: /TEMPORAL_ADDRESS names no engine/,
  });

  assert.equal((await client.post(`/files/sessions/${id}/resume`, {})).status, 200);
  const session = await client.sessionEnded(id);
  assert.deepEqual([session.status, session.completed_files], ['completed', 4]);
  for (const fileId of ids) assert.deepEqual(await storedFacts(orm.em.fork(), fileId), NO_DUPLICATES);
});

test('paused files continue when the workflow of their session is terminated', async () => {
  const { id, ids, answer } = await pausedBatch(1);
  answer();
  for (const fileId of ids) await untilPaused(fileId, id);
  await engine.client.workflow.getHandle(UPLOAD_SESSION_WORKFLOWS.of(id)).terminate('an operator said so');
  assert.equal((await client.sessionEnded(id, 30)).status, 'failed');
  for (const fileId of ids) assert.equal((await client.settled(fileId)).primary_status, 'completed');
});

/** Deletes the workflow of a session including its history, as if the engine had lost its data. */
async function loseWorkflow(sessionId: string): Promise<void> {
  const handle = engine.client.workflow.getHandle(UPLOAD_SESSION_WORKFLOWS.of(sessionId));
  const workflowExecution = { workflowId: handle.workflowId, runId: (await handle.describe()).runId };
  await engine.client.workflowService.deleteWorkflowExecution({ namespace: 'default', workflowExecution });
  await eventually(() => assert.rejects(handle.describe(), WorkflowNotFoundError));
}

test('a cancellation stops paused files, even if the workflow of their session is gone', async () => {
  const { id, ids, answer } = await pausedBatch(2);
  answer();
  for (const fileId of ids) await untilPaused(fileId, id);
  await loseWorkflow(id);
  const cancelled = (await client.post(`/files/sessions/${id}/cancel`, {})).body;
  assert.deepEqual([cancelled.status, cancelled.paused], ['cancelled', false]);
  for (const fileId of ids) {
    const file = await client.settled(fileId);
    assert.equal(file.primary_status, 'partially_completed');
    assert.deepEqual((await storedFacts(orm.em.fork(), fileId)).credits, ['reserve 1', 'refund 1']);
  }
});

test('a session that is restarted while paused resumes its paused files', async () => {
  const { id, ids, answer } = await pausedBatch(2);
  answer();
  for (const fileId of ids) await untilPaused(fileId, id);
  await loseWorkflow(id);
  assert.equal((await status(id)).paused, true);
  assert.equal((await client.post(`/files/sessions/${id}/resume`, {})).status, 200);
  const session = await client.sessionEnded(id);
  assert.deepEqual([session.status, session.completed_files], ['completed', 2]);
});
