import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import proto from '@temporalio/proto';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { ReconcilerCursor } from '../../../db/entities/recovery/reconciler-cursor.ts';
import { reconcileStale } from '../../../services/recovery/sweeps.ts';
import { describeRun } from '../../../temporal/status/describe-run.ts';
import { eventually } from '../../support/api.ts';
import { createDirectUploads } from '../../support/direct-uploads.ts';
import { replies } from '../../support/model-server.ts';
import { demoImage } from '../../support/images.ts';
import { NO_DUPLICATES, storedFacts } from '../../support/stored-facts.ts';
import { makeVideo } from '../../support/videos.ts';
import { own } from './stack.ts';
import { FILE_WORKFLOWS } from '../../../temporal/contract/process-file.ts';
import { UPLOAD_SESSION_WORKFLOWS } from '../../../temporal/contract/upload-session.ts';

/** Workflow runs that wait, and runs that an operator ends, resets or deletes. */
const { stack, orm, engine, model } = own;
const tenant = await own.newTenant();
const { client, ingest, timeline } = tenant;
const uploads = createDirectUploads(own, tenant);

test('a 429 from the model delays a file with a reason, and the file then continues without intervention', async () => {
  model.next(replies.rateLimited('3'));
  const id = await ingest(demoImage('rocket.jpg'));
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

test('reads succeed with every worker dead, and a file with a terminated workflow has failed with the reason', async () => {
  await stack.kill('worker-cpu');
  const clip = await uploads.sent({ filename: 'a.mp4', content_type: 'video/mp4' }, await makeVideo());
  const video: string = (await uploads.complete(clip.id)).body.file_id;
  await eventually(async () => assert.match((await timeline(video)).explanation, /^Container queued/));
  await stack.kill('worker');
  const added = await client.post('/files/links', { url: 'http://127.0.0.1/of-nobody' });
  const link: string = added.body.file_id;
  const watched = await ingest(demoImage('chelsea.jpg'));
  const unwatched = await ingest(demoImage('coffee.jpg'));
  assert.equal((await client.get(`/files/${watched}`)).body.primary_status, 'pending');
  assert.match((await timeline(watched)).explanation, /^Queued: no worker is free/);
  const all = [watched, unwatched, video, link];
  for (const id of all) {
    await engine.client.workflow.getHandle(FILE_WORKFLOWS.of(id)).terminate('an operator said so');
  }
  for (const [id, error] of [
    [watched, 'variant_error'],
    [video, 'video_analysis_error'],
    [link, 'crawl_error'],
  ] as const) {
    const file = await client.settled(id);
    assert.equal(file.primary_status, 'failed');
    assert.equal(file[error], 'the workflow was terminated: an operator said so');
  }
  // The list never queries the engine, so the reconciler must have written this status.
  await eventually(async () => {
    const { items } = (await client.get('/files?limit=100')).body;
    assert.equal(items.find(({ id }: { id: string }) => id === unwatched).primary_status, 'failed');
  });
  for (const id of all) {
    const { credits, timelines } = await storedFacts(orm.em.fork(), id);
    const cost = id === video ? 2 : 1;
    assert.deepEqual(
      { credits, timelines },
      { credits: [`reserve ${cost}`, `refund ${cost}`], timelines: 1 },
    );
  }
  await Promise.all([stack.start('worker'), stack.start('worker-cpu')]);
  assert.equal((await client.post(`/files/${watched}/retry`, {})).status, 202);
  assert.equal((await client.settled(watched)).primary_status, 'completed');
});

test('a cancelled workflow keeps completed components, skips the rest and refunds', async () => {
  model.next(replies.rateLimited('30'));
  const id = await ingest(demoImage('rocket.jpg'));
  await eventually(async () =>
    assert.equal((await client.get(`/files/${id}`)).body.variant_status, 'completed'),
  );
  await eventually(async () => assert.match((await timeline(id)).explanation, /429/));
  await engine.client.workflow.getHandle(FILE_WORKFLOWS.of(id)).cancel();
  const file = await client.settled(id);
  assert.equal(file.primary_status, 'partially_completed');
  assert.equal(file.description_status, 'skipped');
  assert.deepEqual((await storedFacts(orm.em.fork(), id)).credits, ['reserve 1', 'refund 1']);
});

test('a cancellation is visible at once with every worker dead, and takes effect when they are back', async () => {
  model.next(replies.rateLimited('60'));
  const images = [{ bytes: demoImage('rocket.jpg'), filename: 'rocket.jpg' }];
  const begun = (await client.batch(images)).body;
  const [{ file_id: stopping }] = begun.immediate_results;
  await eventually(async () => assert.match((await timeline(stopping)).explanation, /429/));
  await Promise.all([stack.kill('worker'), stack.kill('worker-cpu')]);
  const alone = await ingest(demoImage('chelsea.jpg'));
  const waiting = (await client.batch(images, { skip_duplicates: 'false' })).body;

  const cancelled = (await client.post(`/files/sessions/${begun.session_id}/cancel`, {})).body;
  assert.deepEqual([cancelled.status, cancelled.in_flight_files], ['cancelled', 1]);
  await engine.client.workflow.getHandle(FILE_WORKFLOWS.of(alone)).cancel();
  for (const id of [stopping, alone]) {
    await eventually(async () =>
      assert.match(
        (await timeline(id)).explanation,
        /^Cancellation requested: .* as soon as a worker is free/,
      ),
    );
  }
  await engine.client.workflow.getHandle(UPLOAD_SESSION_WORKFLOWS.of(waiting.session_id)).cancel();
  const session = await eventually(async () => {
    const { body } = await client.get(`/files/sessions/${waiting.session_id}/status`);
    assert.equal(body.status, 'cancelled');
    return body;
  });
  assert.deepEqual([session.pending_files, session.in_flight_files], [1, 0]);

  await Promise.all([stack.start('worker'), stack.start('worker-cpu')]);
  assert.equal((await client.settled(stopping)).primary_status, 'partially_completed');
  assert.match((await client.settled(alone)).explanation, /The work was cancelled/);
  const after = (await client.get(`/files/sessions/${waiting.session_id}/status`)).body;
  assert.deepEqual([after.status, after.pending_files], ['cancelled', 1]);
});

/** Does the same as `temporal workflow reset` to the first workflow task. */
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

test('a workflow that is reset to its first task continues and completes', async () => {
  model.next(replies.rateLimited('60'));
  const id = await ingest(demoImage('rocket.jpg'));
  await eventually(async () => assert.match((await timeline(id)).explanation, /429/));
  await resetToStart(FILE_WORKFLOWS.of(id));
  assert.equal((await client.settled(id)).primary_status, 'completed');
});

test('a workflow that is reset after its file ended changes nothing and costs nothing', async () => {
  model.next(replies.rateLimited('60'));
  const id = await ingest(demoImage('rocket.jpg'));
  await eventually(async () => assert.match((await timeline(id)).explanation, /429/));
  const handle = engine.client.workflow.getHandle(FILE_WORKFLOWS.of(id));
  await handle.terminate('any\u0000 text');
  const failed = await client.settled(id);
  assert.equal(failed.description_error, 'the workflow was terminated: any  text');
  const asked = model.requests.length;
  await resetToStart(FILE_WORKFLOWS.of(id));
  assert.deepEqual(await handle.result(), { outcome: 'superseded' });
  assert.equal((await client.get(`/files/${id}`)).body.primary_status, failed.primary_status);
  assert.equal(model.requests.length, asked);
  assert.deepEqual((await storedFacts(orm.em.fork(), id)).credits, ['reserve 1', 'refund 1']);
});

/** Deletes the workflow of a file including its history. */
async function deleteWorkflow(id: string): Promise<void> {
  await engine.client.workflowService.deleteWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId: FILE_WORKFLOWS.of(id) },
  });
  await eventually(async () => assert.equal(await describeRun(engine, id, 5000), undefined));
}

/** Deletes the workflow of a file, then runs the sweep as if nothing had happened for an hour. */
async function deleteAndSweep(id: string): Promise<void> {
  await deleteWorkflow(id);
  const later = new Date(Date.now() + 3_600_000);
  assert.ok((await reconcileStale({ em: orm.em.fork(), engine }, () => undefined, later)) >= 1);
}

test('a file whose workflow was deleted is found and finished even if no client reads the file', async () => {
  model.next(replies.rateLimited('60'));
  const id = await ingest(demoImage('rocket.jpg'));
  await eventually(async () => assert.match((await timeline(id)).explanation, /429/));
  await deleteAndSweep(id);
  await eventually(async () => {
    assert.equal((await orm.em.fork().findOneOrFail(StoredFile, id)).primaryStatus, 'completed');
  });
  assert.deepEqual(await storedFacts(orm.em.fork(), id), NO_DUPLICATES);
});

test('a file of an open session is finished after its workflow was deleted, and so is the session', async () => {
  model.next(replies.rateLimited('60'));
  const { body } = await client.batch([{ bytes: demoImage('rocket.jpg'), filename: 'rocket.jpg' }]);
  const id = body.immediate_results[0].file_id as string;
  await eventually(async () => assert.match((await timeline(id)).explanation, /429/));
  await deleteAndSweep(id);
  assert.equal((await client.sessionEnded(body.session_id)).status, 'completed');
  assert.deepEqual(await storedFacts(orm.em.fork(), id), NO_DUPLICATES);
});

for (const begun of [true, false]) {
  for (const reader of ['file', 'session']) {
    const when = begun ? 'after' : 'before';
    test(`reading the ${reader} restarts a file of an open session whose workflow was deleted ${when} it began`, async () => {
      model.next(replies.rateLimited('60'));
      const { body } = await client.batch([{ bytes: demoImage('rocket.jpg'), filename: 'rocket.jpg' }]);
      const id = body.immediate_results[0].file_id as string;
      await eventually(async () => assert.match((await timeline(id)).explanation, /429/));
      await deleteWorkflow(id);
      if (!begun) await orm.em.fork().nativeUpdate(StoredFile, { id }, { workflowStartedAt: null });
      if (reader === 'file') await client.settled(id);
      assert.equal((await client.sessionEnded(body.session_id)).status, 'completed');
      assert.deepEqual(await storedFacts(orm.em.fork(), id), NO_DUPLICATES);
    });
  }
}

test('a terminated workflow keeps the attempts of the interrupted step', async () => {
  model.next(replies.rateLimited('60'));
  const id = await ingest(demoImage('rocket.jpg'));
  await eventually(async () => assert.match((await timeline(id)).explanation, /429.*attempt 2/));
  await engine.client.workflow.getHandle(FILE_WORKFLOWS.of(id)).terminate();
  await client.settled(id);
  const step = (await timeline(id)).runs[0].steps.at(-1);
  assert.deepEqual([step.attempt, step.outcome, step.error.code], [1, 'cancelled', 'MODEL_RATE_LIMITED']);
});

test('a sweep whose clock was ahead does not hide the runs that end until then', async () => {
  const ahead = new Date(Date.now() + 3_600_000);
  await orm.em.fork().upsert(ReconcilerCursor, { id: 1, closedUntil: ahead });
  await eventually(async () => {
    const { closedUntil } = await orm.em.fork().findOneOrFail(ReconcilerCursor, { id: 1 });
    assert.ok(closedUntil < ahead);
  });
});
