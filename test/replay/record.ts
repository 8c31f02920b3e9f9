import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import sharp from 'sharp';
import { saveHistory } from '../../lab/save-history/save-history.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { StoredCollection } from '../../db/entities/shared/stored-collection.ts';
import { SchemaExtraction } from '../../db/entities/structured-extraction/schema-extraction.ts';
import { targetCollection } from '../../services/media/vector-collections.ts';
import { IMPORT_WORKFLOWS } from '../../temporal/contract/import-files.ts';
import { REPROCESSING_ROLLBACKS, REPROCESSING_WORKFLOWS } from '../../temporal/contract/reprocess-files.ts';
import { QUEUES } from '../../temporal/contract/queues.ts';
import {
  type IndexName,
  REBUILD_INDEX,
  indexWorkflowId,
  rebuildWorkflowId,
} from '../../temporal/contract/indexes.ts';
import { startAccountMail, startWorkflow } from '../../temporal/start-workflow.ts';
import { eventually, type Json } from '../support/api.ts';
import { replies } from '../support/model-server.ts';
import { minimalPdf } from '../support/documents.ts';
import { startFaultyBucket } from '../support/faulty-bucket.ts';
import { logIn } from '../support/login.ts';
import { startOwnStack } from '../support/own-stack.ts';
import { images } from '../support/images.ts';
import { makeVideo } from '../support/videos.ts';
import { article } from '../support/web-pages.ts';
import { scannedPdf } from '../support/scans.ts';
import { pages, startWebSite } from '../support/web-site.ts';
import { addAbandonedDelivery, ok, startWebhookReceiver, status } from '../support/webhook-receiver.ts';
import { ANSWER_WORKFLOWS } from '../../temporal/contract/answer-question.ts';
import { STEP_WORKFLOW_IDS } from '../../temporal/contract/digitize-document.ts';
import { DIRECT_UPLOAD_WORKFLOWS } from '../../temporal/contract/direct-upload.ts';
import { EXPORT_WORKFLOWS } from '../../temporal/contract/export-data.ts';
import { EXTRACTION_WORKFLOWS } from '../../temporal/contract/extract-data.ts';
import { FILE_WORKFLOWS } from '../../temporal/contract/process-file.ts';
import { IMAGE_IMPORT_WORKFLOWS } from '../../temporal/contract/import-image.ts';
import { DRAW_PAGE } from '../../temporal/contract/draw-page.ts';
import { PURGE_FILES, PURGE_NOW_ID } from '../../temporal/contract/purge-files.ts';
import { type DispatchPendingInput, SCHEDULE_IDS } from '../../temporal/contract/schedules.ts';
import { SPLIT_WORKFLOWS } from '../../temporal/contract/split-document.ts';
import { UPLOAD_SESSION_WORKFLOWS } from '../../temporal/contract/upload-session.ts';
import { RETRY_WEBHOOK } from '../../temporal/contract/retry-webhook.ts';

/**
 * `node test/replay/record.ts`: runs every workflow to each of its outcomes on a disposable stack and saves
 * the histories. The replay test replays them with every later version of the workflow code.
 */
const own = await startOwnStack({ DIRECT_UPLOAD_SECONDS: '20' });
const { engine, model } = own;
const { client, tenantId } = await own.newTenant();
const VERSION = 'v1';

/** @param runId default: the newest run */
async function save(workflowId: string, workflow: string, how: string, runId?: string): Promise<void> {
  await eventually(async () => {
    const { status } = await engine.client.workflow.getHandle(workflowId, runId).describe();
    assert.notEqual(status.name, 'RUNNING');
  }, 60);
  const events = await saveHistory(engine, workflowId, `${workflow}-${VERSION}-${how}`, runId);
  console.log(`${workflow} ${how}: ${events} events`);
}

async function image(): Promise<Buffer> {
  const [one] = await images(1, 200, 100);
  assert.ok(one);
  return one.bytes;
}

async function recordFiles(): Promise<void> {
  const completed = await client.ingest({ bytes: await image() });
  await client.settled(completed);
  await save(FILE_WORKFLOWS.of(completed), 'process-file', 'completed');
  await client.post(`/files/${completed}/retry`, { components: ['variant', 'description'] });
  await client.settled(completed);
  await save(FILE_WORKFLOWS.of(completed), 'process-file', 'retried');

  const whole = await sharp({ create: { width: 300, height: 300, channels: 3, background: '#123' } })
    .jpeg()
    .toBuffer();
  const broken = await client.ingest({ bytes: whole.subarray(0, 400) });
  await client.settled(broken);
  await save(FILE_WORKFLOWS.of(broken), 'process-file', 'failed-in-engine');
  // A retry runs step by step, without the fast path.
  await client.post(`/files/${broken}/retry`, {});
  await client.settled(broken);
  await save(FILE_WORKFLOWS.of(broken), 'process-file', 'failed-again-in-engine');

  model.next(replies.rateLimited('60'));
  const deleted = await client.ingest({ bytes: await image() });
  await waitsForModel(deleted);
  await client.delete(`/files/${deleted}`);
  await save(FILE_WORKFLOWS.of(deleted), 'process-file', 'deleted');

  await client.delete(`/files/${completed}`);
  await save(indexWorkflowId('images', completed), 'sync-index', 'of-an-image');
}

async function recordAnswers(): Promise<void> {
  const manual = await client.ingest({
    bytes: Buffer.from('# Pump\n\nThe warranty of the pump lasts 24 months.\n'),
    filename: 'pump.md',
  });
  await client.settled(manual);
  const question = { question: 'How long does the warranty last?', document_ids: [manual] };
  const quotes = [{ passage: 1, quote: 'The warranty of the pump lasts 24 months.' }];
  model.next(
    replies.content(
      JSON.stringify({
        answered: true,
        sentences: [{ text: 'The warranty of the pump lasts 24 months.', quotes }],
      }),
    ),
  );
  const answered = await client.post('/files/ask', question);
  assert.deepEqual([answered.status, answered.body.sentences[0]?.supported], [200, true]);
  await save(ANSWER_WORKFLOWS.of(answered.body.answer_id), 'answer-question', 'completed');
  model.next(replies.content(null, { refusal: 'no' }));
  const refused = await client.post('/files/ask', question);
  const [, id = ''] = /\(answer (.+)\)/.exec(refused.body.detail) ?? [];
  assert.equal(refused.body.code, 'ANSWER_FAILED');
  await save(ANSWER_WORKFLOWS.of(id), 'answer-question', 'failed-in-engine');
}

async function recordDocuments(): Promise<void> {
  // More pages than the batches of one run can hold.
  const pages = Array.from({ length: 1100 }, (_, at) => `Page ${at + 1} of the manual of a pump.`);
  const completed = await client.ingest({ bytes: minimalPdf(pages), filename: 'manual.pdf' });
  await client.settled(completed, 300);
  const digitization = STEP_WORKFLOW_IDS.digitizeDocument(completed);
  await save(digitization, 'digitize-document', 'completed');
  const { raw } = await engine.client.workflow.getHandle(digitization).describe();
  const firstRunId = raw.workflowExecutionInfo?.firstRunId;
  assert.ok(firstRunId);
  await saveHistory(engine, digitization, `digitize-document-${VERSION}-continued`, firstRunId);
  await save(FILE_WORKFLOWS.of(completed), 'process-file', 'of-a-long-document');
  await recordPreviews();
  await client.post(`/files/${completed}/retry`, { pages: [2] });
  await client.settled(completed);
  await save(STEP_WORKFLOW_IDS.digitizeDocument(completed), 'digitize-document', 'one-page-again');

  const line = [{ text: 'Inventory', x: 120, y: 300, size: 60 }];
  const whole = { type: 'heading', role: null, lines: [1], starts: [], rows: [], box: null };
  model.next(
    replies.content(JSON.stringify({ elements: [whole] })),
    replies.content(null, { refusal: 'no' }),
  );
  const scan = await client.ingest({ bytes: await scannedPdf([line, line]), filename: 'scan.pdf' });
  await client.settled(scan);
  const scanned = STEP_WORKFLOW_IDS.digitizeDocument(scan);
  await save(scanned, 'digitize-document', 'laid-out-by-a-model');

  const broken = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(500, 0x41)]);
  const failed = await client.ingest({ bytes: broken, filename: 'broken.pdf' });
  await client.settled(failed);
  await save(FILE_WORKFLOWS.of(failed), 'process-file', 'of-a-damaged-document-in-engine');

  await recordRebuild('chunks');
  await recordSwitch();
  await client.delete(`/files/${completed}`);
  await save(indexWorkflowId('chunks', completed), 'sync-index', 'of-a-document');
}

async function recordPreviews(): Promise<void> {
  const fileId = await client.ingest({ bytes: minimalPdf(['A pump.']), filename: 'pump.pdf' });
  await client.settled(fileId);
  await save(FILE_WORKFLOWS.of(fileId), 'process-file', 'of-a-short-document');
  await client.follow(`/files/${fileId}/pages/1/image?width=640`);
  const page = { fileId, pageNumber: 1, width: 640 };
  await save(DRAW_PAGE.id({ ...page, tenantId }), 'draw-page', 'completed');
  // The bytes are gone.
  const { objectKey } = await own.orm.em.fork().findOneOrFail(StoredFile, { id: fileId });
  await own.orm.em.fork().nativeUpdate(StoredFile, { id: fileId }, { objectKey: `${objectKey}-gone` });
  assert.equal((await client.get(`/files/${fileId}/pages/1/image?width=320`)).body.code, 'PAGE_NOT_DRAWN');
  await save(DRAW_PAGE.id({ ...page, width: 320, tenantId }), 'draw-page', 'failed-in-engine');
  await own.orm.em.fork().nativeUpdate(StoredFile, { id: fileId }, { objectKey });
}

async function recordRebuild(index: IndexName, how: string = `of-${index}`): Promise<void> {
  const collection = await targetCollection(own.orm.em.fork(), index);
  assert.ok(collection);
  await startWorkflow(engine, REBUILD_INDEX, { index, collection });
  const { runId } = await engine.client.workflow.getHandle(rebuildWorkflowId(index)).describe();
  await save(rebuildWorkflowId(index), 'rebuild-index', how, runId);
}

/** The collection of a former model serves, as after a change of the settings; another run follows. */
async function recordSwitch(): Promise<void> {
  await own.orm.em.fork().insert(StoredCollection, {
    collection: 'chunk-former-2',
    indexName: 'chunks',
    dimension: 2,
    settings: {},
    registeredAt: new Date(0),
    seenAt: new Date(0),
    servingSince: new Date(),
  });
  await recordRebuild('chunks', 'of-chunks-of-another-model');
}

async function waitsForModel(fileId: string): Promise<void> {
  await eventually(async () => {
    const { body } = await client.get(`/files/${fileId}/timeline`);
    assert.match(body.explanation, /^Description waiting/);
  });
}

async function recordSessions(): Promise<void> {
  const { body: first } = await client.batch(await images(3));
  await client.sessionEnded(first.session_id);
  await save(UPLOAD_SESSION_WORKFLOWS.of(first.session_id), 'upload-session', 'completed');
  await save(FILE_WORKFLOWS.of(first.immediate_results[0].file_id), 'process-file', 'of-a-session');

  for (const _file of Array.from({ length: 3 })) model.next(replies.rateLimited('5'));
  const { body: second } = await client.batch(await images(3));
  const [file] = second.immediate_results;
  await waitsForModel(file.file_id);
  await client.post(`/files/sessions/${second.session_id}/pause`, {});
  await eventually(async () => {
    const { body } = await client.get(`/files/${file.file_id}/timeline`);
    assert.match(body.explanation, /^The file is paused/);
  });
  await client.post(`/files/sessions/${second.session_id}/resume`, {});
  await client.sessionEnded(second.session_id);
  await save(UPLOAD_SESSION_WORKFLOWS.of(second.session_id), 'upload-session', 'paused-and-resumed');
  await save(FILE_WORKFLOWS.of(file.file_id), 'process-file', 'paused-and-resumed');

  model.otherwise(replies.rateLimited('60'));
  const { body: third } = await client.batch(await images(60));
  await eventually(async () => assert.ok(model.requests.length > 8));
  await client.post(`/files/sessions/${third.session_id}/cancel`, {});
  await save(UPLOAD_SESSION_WORKFLOWS.of(third.session_id), 'upload-session', 'cancelled');
  model.otherwise(replies.ok());
}

async function recordDirectUploads(): Promise<void> {
  const completed = await begin();
  await put(completed);
  await client.post(`/files/direct-uploads/${completed.upload.upload_id}/complete`, {});
  await save(DIRECT_UPLOAD_WORKFLOWS.of(completed.upload.upload_id), 'direct-upload', 'completed');

  const aborted = await begin();
  await client.delete(`/files/direct-uploads/${aborted.upload.upload_id}`);
  await save(DIRECT_UPLOAD_WORKFLOWS.of(aborted.upload.upload_id), 'direct-upload', 'aborted');

  const video = await begin({ filename: 'scenes.mp4', content_type: 'video/mp4' }, await makeVideo());
  await put(video);
  const { body: accepted } = await client.post(
    `/files/direct-uploads/${video.upload.upload_id}/complete`,
    {},
  );
  await client.settled(accepted.file_id);
  await save(FILE_WORKFLOWS.of(accepted.file_id), 'process-file', 'of-a-video');

  const expired = await begin();
  await save(DIRECT_UPLOAD_WORKFLOWS.of(expired.upload.upload_id), 'direct-upload', 'expired');

  const bytes = await image();
  const files = [{ filename: 'a.jpg', size_bytes: bytes.length, content_type: 'image/jpeg' }];
  const { body: batch } = await client.post('/uploads/batch-prepare', { files });
  const [url] = batch.presigned_urls;
  await fetch(url.upload_url, { method: 'PUT', headers: url.upload_headers, body: new Uint8Array(bytes) });
  const confirmations = [{ object_key: url.object_key, success: true, file_size: bytes.length }];
  await client.post('/uploads/batch-confirm', { batch_id: batch.batch_id, confirmations });
  await client.sessionEnded(batch.batch_id);
  await save(UPLOAD_SESSION_WORKFLOWS.of(batch.batch_id), 'upload-session', 'presigned');
}

async function begin(
  named = { filename: `${randomUUID()}.jpg`, content_type: 'image/jpeg' },
  content?: Buffer,
): Promise<{ upload: Json; bytes: Buffer }> {
  const bytes = content ?? (await image());
  const { body: upload } = await client.post('/files/direct-uploads', {
    ...named,
    size_bytes: bytes.length,
    claimed_file_hash: createHash('sha256').update(bytes).digest('hex'),
  });
  return { upload, bytes };
}

async function put({ upload, bytes }: { upload: Json; bytes: Buffer }): Promise<void> {
  const { presigned_url: url, headers } = upload;
  const { status } = await fetch(url, { method: 'PUT', headers, body: new Uint8Array(bytes) });
  assert.equal(status, 200);
}

async function recordExports(): Promise<void> {
  const { body: completed } = await client.post('/data/export', { format: 'jsonl' });
  await save(EXPORT_WORKFLOWS.of(completed.export_id), 'export-data', 'completed');

  await own.stack.kill('worker', 'SIGTERM');
  await eventually(async () => assert.equal(own.stack.pid('worker'), undefined));
  const { body: cancelled } = await client.post('/data/export', { format: 'csv' });
  await client.delete(`/data/export/${cancelled.export_id}`);
  await own.stack.start('worker');
  await save(EXPORT_WORKFLOWS.of(cancelled.export_id), 'export-data', 'cancelled');
}

async function recordFileImports(): Promise<void> {
  const bucket = await startFaultyBucket();
  const { client: admin } = await logIn(own.orm, own.stack.runInfo, { tenantId });
  try {
    bucket.objects.set('a.jpg', { bytes: await image() });
    const address = { bucket_name: 'pictures', region: 'us-east-1', endpoint: bucket.endpoint };
    const { body: connection } = await admin.post('/connections', { provider: 's3', ...address });
    const source = { type: 'bucket', connection_id: connection.id };
    const begin = async (): Promise<string> => (await client.post('/imports', { source })).body.id;
    await save(IMPORT_WORKFLOWS.of(await begin()), 'import-files', 'completed');

    bucket.objects.set('a.jpg', { bytes: await image(), fault: 'hangs' });
    const cancelled = await begin();
    await eventually(async () => assert.equal((await client.get(`/imports/${cancelled}`)).body.found, 1));
    await client.post(`/imports/${cancelled}/cancel`, {});
    await save(IMPORT_WORKFLOWS.of(cancelled), 'import-files', 'cancelled');

    bucket.listing = 'is no listing';
    const waiting = await begin();
    await eventually(async () =>
      assert.equal((await client.get(`/imports/${waiting}`)).body.status, 'paused'),
    );
    await client.post(`/imports/${waiting}/cancel`, {});
    await save(IMPORT_WORKFLOWS.of(waiting), 'import-files', 'cancelled-while-it-waits');
  } finally {
    await bucket.close();
  }
}

async function recordReprocessing(): Promise<void> {
  const { body: uploaded } = await client.batch(await images(2));
  await client.sessionEnded(uploaded.session_id);
  const ids = uploaded.immediate_results.map((file: Json) => file.file_id as string);
  const wanted = { filter: { ids }, components: ['description'], reason: 'a new model' };
  const { body: paused } = await client.post('/reprocessing', { ...wanted, files_per_minute: 12 });
  const of = (id: string, status: string) =>
    eventually(async () => assert.equal((await client.get(`/reprocessing/${id}`)).body.status, status), 60);
  await client.post(`/reprocessing/${paused.reprocessing_id}/pause`, {});
  await client.post(`/reprocessing/${paused.reprocessing_id}/resume`, {});
  await of(paused.reprocessing_id, 'completed');
  await save(REPROCESSING_WORKFLOWS.of(paused.reprocessing_id), 'reprocess-files', 'paused-and-resumed');

  await client.post(`/reprocessing/${paused.reprocessing_id}/rollback`, {});
  await of(paused.reprocessing_id, 'rolled_back');
  await save(REPROCESSING_ROLLBACKS.of(paused.reprocessing_id), 'roll-back-reprocessing', 'completed');

  const { body: cancelled } = await client.post('/reprocessing', { ...wanted, files_per_minute: 1 });
  await eventually(async () => {
    const { body } = await client.get(`/reprocessing/${cancelled.reprocessing_id}/files`);
    assert.equal(body.items.length, 1);
  });
  await client.post(`/reprocessing/${cancelled.reprocessing_id}/cancel`, {});
  await save(REPROCESSING_WORKFLOWS.of(cancelled.reprocessing_id), 'reprocess-files', 'cancelled');
}

async function recordSplits(): Promise<void> {
  const sheets = Array.from({ length: 30 }, (_, at) => `Sheet ${at + 1}`);
  const bundle = await client.ingest({ bytes: minimalPdf(sheets), filename: 'post.pdf' });
  await client.settled(bundle);
  const begin = async (body: object): Promise<string> =>
    (await client.post(`/files/${bundle}/splits`, body)).body.split_id;
  await save(SPLIT_WORKFLOWS.of(await begin({ dry_run: true })), 'split-document', 'proposed');
  const cancelled = await begin({ ranges: sheets.map((_, at) => String(at + 1)) });
  await eventually(async () => assert.ok((await client.get(`/splits/${cancelled}`)).body.stored_parts > 0));
  await client.post(`/splits/${cancelled}/cancel`, {});
  await save(SPLIT_WORKFLOWS.of(cancelled), 'split-document', 'cancelled');
  await save(SPLIT_WORKFLOWS.of(await begin({ ranges: ['1', '2-3'] })), 'split-document', 'completed');
}

async function recordImports(): Promise<void> {
  const site = await startWebSite('127.0.0.1');
  try {
    site.serve('/a.jpg', pages.of(await image()));
    site.serve('/none.jpg', pages.error(404));
    site.serve('/slow.jpg', pages.stalled((await image()).subarray(0, 100)));
    site.serve('/page', article({ title: 'Lamps at night' }));
    site.serve('/paper.pdf', pages.of(minimalPdf(['A paper behind a link'])));
    for (const [path, how] of [
      ['/page', 'of-a-link'],
      ['/paper.pdf', 'of-a-link-to-a-document'],
    ] as const) {
      const { body: link } = await client.post('/files/links', { url: site.url(path) });
      await save(FILE_WORKFLOWS.of(link.file_id), 'process-file', how);
    }
    const begin = async (path: string): Promise<string> =>
      (await client.post('/images/analyze/async', { url: site.url(path) })).body.job_id;
    await save(IMAGE_IMPORT_WORKFLOWS.of(await begin('/a.jpg')), 'import-image', 'completed');
    await save(IMAGE_IMPORT_WORKFLOWS.of(await begin('/none.jpg')), 'import-image', 'failed-in-engine');
    const cancelled = IMAGE_IMPORT_WORKFLOWS.of(await begin('/slow.jpg'));
    await eventually(async () => assert.ok(site.requests.includes('/slow.jpg')));
    await engine.client.workflow.getHandle(cancelled).cancel();
    await save(cancelled, 'import-image', 'cancelled');
  } finally {
    await site.stop();
  }
}

async function recordExtractions(): Promise<void> {
  const schema = { type: 'object', properties: { total: { type: 'number' } } };
  const { body: saved } = await client.post('/extraction-schemas', { name: randomUUID(), schema });
  const options = { auto_describe: 'false', custom_schema_id: saved.id };
  const pages = Array.from({ length: 60 }, (_, at) => `Page ${at + 1} of the manual of a pump.`);
  const document = await client.ingest({ bytes: minimalPdf(pages), filename: 'pump.pdf' });
  await client.settled(document);
  for (const [how, reply] of [
    ['completed', replies.content('{"total": 1}')],
    ['failed-in-engine', replies.content(null, { refusal: 'no' })],
  ] as const) {
    model.otherwise(reply);
    const image_base64 = (await image()).toString('base64');
    await client.post('/extract', { image_base64, schema });
    await client.post('/extract', { file_id: document, schema });
    for (const source of ['base64', 'file'] as const) {
      const { id } = await own.orm.em
        .fork()
        .findOneOrFail(SchemaExtraction, { source }, { orderBy: { createdAt: 'desc' } });
      const of = source === 'file' ? 'of-a-document-' : '';
      await save(EXTRACTION_WORKFLOWS.of(id), 'extract-data', `${of}${how}`);
    }
    const fileId = await client.ingest({ bytes: await image(), fields: options });
    await client.settled(fileId);
    await save(STEP_WORKFLOW_IDS.extractBySchema(fileId), 'extract-by-schema', how);
    await save(FILE_WORKFLOWS.of(fileId), 'process-file', `with-a-schema-${how}`);
  }
  model.otherwise(replies.ok());
}

async function recordMaintenance(): Promise<void> {
  await recordRebuild('images');
  await startWorkflow(engine, PURGE_FILES, { days: 0 });
  await save(PURGE_NOW_ID, 'purge-files', 'completed');
  for (const [id, workflow] of [
    [SCHEDULE_IDS.reconcileStale, 'reconcile-stale'],
    [SCHEDULE_IDS.maintainUsageTables, 'maintain-usage-tables'],
  ] as const) {
    const handle = engine.client.schedule.getHandle(id);
    await handle.trigger();
    const run = await eventually(async () => {
      const { info } = await handle.describe();
      const last = info.recentActions.at(-1)?.action;
      assert.ok(last?.type === 'startWorkflow');
      return last.workflow.workflowId;
    });
    await save(run, workflow, 'completed');
  }
}

async function recordWebhooks(): Promise<void> {
  const receiver = await startWebhookReceiver();
  try {
    const wanted = { url: receiver.url, event_types: ['export.*'] };
    const { body: webhook } = await client.post('/webhooks/subscriptions', wanted);
    const path = `/webhooks/subscriptions/${webhook.id}`;
    const retries = RETRY_WEBHOOK.id({ tenantId, subscriptionId: webhook.id });
    const sendTest = async (): Promise<string> => (await client.post(`${path}/test`, {})).body.id;
    const retrying = async (): Promise<string> => {
      receiver.answer(status(500));
      const id = await sendTest();
      await eventually(async () => {
        const { status } = await engine.client.workflow.getHandle(retries).describe();
        assert.equal(status.name, 'RUNNING');
      });
      return id;
    };
    await addAbandonedDelivery(own.orm, tenantId, webhook.id);
    await save(retries, 'retry-webhook', 'after-a-crash');
    await retrying();
    receiver.answer(ok);
    await save(retries, 'retry-webhook', 'delivered');
    await retrying();
    await client.patch(path, { enabled: false });
    await save(retries, 'retry-webhook', 'disabled');
    await client.patch(path, { enabled: true });
    const failed = await retrying();
    receiver.answer(status(410));
    await client.post(`/webhooks/deliveries/${failed}/redeliver`, {});
    await save(retries, 'retry-webhook', 'failed');
  } finally {
    await receiver.stop();
  }
}

/** Records the first run of the sweep, which continues as new. */
async function recordSweep(): Promise<void> {
  const input: DispatchPendingInput = { seconds: 1 };
  const first = await engine.client.workflow.start('dispatchPending', {
    workflowId: 'sweep-of-a-recording',
    taskQueue: QUEUES.workflows,
    args: [input],
  });
  await eventually(async () => {
    const { runId } = await engine.client.workflow.getHandle(first.workflowId).describe();
    assert.notEqual(runId, first.firstExecutionRunId);
  });
  const events = await saveHistory(
    engine,
    first.workflowId,
    `dispatch-pending-${VERSION}-continued`,
    first.firstExecutionRunId,
  );
  console.log(`dispatch-pending continued: ${events} events`);
  await engine.client.workflow.getHandle(first.workflowId).terminate('it is recorded');
}

async function recordMails(): Promise<void> {
  for (const kind of ['verify_email', 'change_email'] as const) {
    // The user does not exist: the workflow is the same, and no mail is sent.
    const userId = randomUUID();
    await startAccountMail(engine, { kind, userId });
    const run = await eventually(async () => {
      const query = `WorkflowType = 'sendAccountMail' AND WorkflowId STARTS_WITH 'mail/${kind}/${userId}'`;
      const found = (await engine.client.workflow.list({ query })[Symbol.asyncIterator]().next()).value;
      assert.ok(found);
      return found.workflowId;
    });
    await save(run, 'send-account-mail', kind.replaceAll('_', '-'));
  }
}

try {
  await recordMails();
  await recordFiles();
  await recordAnswers();
  await recordDocuments();
  await recordSessions();
  await recordDirectUploads();
  await recordExports();
  await recordReprocessing();
  await recordSplits();
  await recordImports();
  await recordFileImports();
  await recordExtractions();
  await recordWebhooks();
  await recordMaintenance();
  await recordSweep();
} finally {
  await own.stop();
}
