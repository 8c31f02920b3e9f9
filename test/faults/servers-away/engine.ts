import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, type Json } from '../../support/api.ts';
import { createBatches, UNDESCRIBED } from '../../support/batches.ts';
import { book, minimalPdf } from '../../support/documents.ts';
import { demoImage, images } from '../../support/images.ts';
import { NO_DUPLICATES, storedFacts } from '../../support/stored-facts.ts';
import { own } from './stack.ts';
import { FILE_WORKFLOWS } from '../../../temporal/contract/process-file.ts';
import { UPLOAD_SESSION_WORKFLOWS } from '../../../temporal/contract/upload-session.ts';

/** Uploads and batches while the workflow engine is down. */
const { stack, orm, engine } = own;
const tenant = await own.newTenant();
const { client, ingest, timeline } = tenant;
const { status, fileIds, sendHalfBatch, halfSession } = createBatches(own, tenant);

test('an upload during an outage of the engine returns 201, and the file is processed when the engine is back', async () => {
  await stack.kill('temporal');
  const polled = await ingest(demoImage('coffee.jpg'));
  const swept = await ingest(demoImage('astronaut.webp'));
  // None of its pages is being read yet, so it can be deleted.
  const unread = await ingest(minimalPdf(['The ferry leaves at noon.']));
  assert.equal((await client.delete(`/files/${unread}`)).status, 200);
  assert.equal((await client.post(`/files/${unread}/restore`, {})).status, 200);
  const file = (await client.get(`/files/${polled}`)).body;
  assert.equal(file.primary_status, 'pending');
  assert.match((await timeline(polled)).explanation, /engine cannot be reached/);
  const ready = await client.get(`${client.origin}/readyz`);
  assert.deepEqual([ready.status, ready.body.status], [200, 'degraded']);
  await stack.start('temporal');
  for (const id of [polled, unread]) assert.equal((await client.settled(id, 60)).primary_status, 'completed');
  // No request reads this file, so the sweep has to find it.
  await eventually(async () => {
    const { items } = (await client.get('/files?limit=100')).body;
    assert.equal(items.find(({ id }: { id: string }) => id === swept).primary_status, 'completed');
  }, 120);
  assert.deepEqual(await storedFacts(orm.em.fork(), swept), NO_DUPLICATES);
});

test('a document continues when the engine is back, and each page is read once', async () => {
  const pages = 150;
  const id = await ingest(book(pages));
  const reading = async (): Promise<Json> => (await client.get(`/files/${id}/digitization`)).body;
  await eventually(async () => assert.ok((await reading()).completed_pages > 0));
  await stack.restart('temporal');
  assert.equal((await client.settled(id, 120)).primary_status, 'completed');
  const { completed_pages: completed, total_pages: total, pages: all } = await reading();
  assert.deepEqual([completed, total], [pages, pages]);
  assert.ok(all.every(({ element_count: count }: Json) => count === 1));
});

test('a file survives an API that is killed between the insert of its row and the start of its workflow', async () => {
  await stack.kill('temporal');
  const id = await ingest(demoImage('coffee.jpg'));
  await stack.kill('api');
  await stack.start('temporal');
  await stack.start('api');
  assert.equal((await client.settled(id, 60)).primary_status, 'completed');
});

test('a file of an open batch is processed even if its signal is lost', async () => {
  const socket = await sendHalfBatch();
  const id = await halfSession();
  await eventually(async () => assert.equal((await status(id)).completed_files, 2));
  await stack.kill('temporal');
  const [late] = await images(1, 300, 200);
  assert.ok(late);
  // Completes the truncated file and sends another complete one.
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

test('a batch during an outage of the engine returns 201, keeps its pause, and is processed when the engine is back', async () => {
  await stack.kill('temporal');
  const { status: answered, body } = await client.batch(await images(7, 300, 200), UNDESCRIBED);
  assert.equal(answered, 201);
  const id = body.session_id;
  assert.equal((await status(id)).pending_files, 7);
  assert.equal((await client.post(`/files/sessions/${id}/pause`, {})).body.paused, true);
  await stack.start('temporal');
  await eventually(
    async () => assert.ok(await engine.client.workflow.getHandle(UPLOAD_SESSION_WORKFLOWS.of(id)).describe()),
    90,
  );
  // Reading a file must not start it while its session is paused.
  const [fileId] = await fileIds(id);
  assert.ok(fileId);
  assert.equal((await client.get(`/files/${fileId}`)).body.primary_status, 'pending');
  await assert.rejects(engine.client.workflow.getHandle(FILE_WORKFLOWS.of(fileId)).describe());
  assert.equal((await client.post(`/files/sessions/${id}/resume`, {})).status, 200);
  const session = await client.sessionEnded(id, 60);
  assert.deepEqual([session.status, session.completed_files], ['completed', 7]);
});
