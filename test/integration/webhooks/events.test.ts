import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { EVENT_BODIES } from '../../../api/resources/webhook-event.ts';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { DirectUpload } from '../../../db/entities/uploads/direct-upload.ts';
import { WebhookEvent } from '../../../db/entities/webhooks/webhook-event.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { EXPIRED } from '../../../domain/uploads/direct-upload.ts';
import { WEBHOOK_EVENT_TYPES } from '../../../domain/webhooks/events.ts';
import { createExport } from '../../../services/exports/create-export.ts';
import { discardExport } from '../../../services/exports/end-export.ts';
import { endUpload, signalUploadEnd } from '../../../services/direct-uploads/change-upload.ts';
import { changeReprocessing, failReprocessing } from '../../../services/reprocessing/change-reprocessing.ts';
import { createReprocessing } from '../../../services/reprocessing/create-reprocessing.ts';
import { createSplit } from '../../../services/splits/create-split.ts';
import { endSplit } from '../../../services/splits/end-split.ts';
import { createEngine } from '../../../temporal/client.ts';
import { temporalConfig } from '../../../temporal/config.ts';
import { eventually, sharedRun, type Client, type Json } from '../../support/api.ts';
import { minimalPdf } from '../../support/documents.ts';
import { receiptImage } from '../../support/invoices.ts';
import { images, paddedImage, uniqueImage } from '../../support/images.ts';
import { logIn } from '../../support/login.ts';
import { createOwnTenant, type OwnTenant } from '../../support/own-tenant.ts';
import { ownerOf } from '../../support/principals.ts';
import { pages, startWebSite } from '../../support/web-site.ts';
import { subscribe } from '../../support/webhooks.ts';

/** Each event of domain/webhooks/events.ts occurs, with the change that it reports. */
const run = sharedRun();
const config = readConfig([databaseConfig, temporalConfig], process.env);
const orm = createOrm(config);
const engine = createEngine(config);
after(async () => {
  await engine.close();
  await orm.close(true);
});

/** The types of the events of all tests. */
const seen = new Set<string>();

type Subscribed = OwnTenant & {
  /** The events so far, as `type` and the parts of their data that `of` selects. */
  events(of?: (data: Json) => unknown): Promise<unknown[][]>;
};

async function subscribedTenant(): Promise<Subscribed> {
  const tenant = await createOwnTenant(orm, run);
  await subscribe(orm, { tenantId: tenant.tenantId });
  return {
    ...tenant,
    async events(of = ({ status }) => status) {
      const rows = await orm.em
        .fork()
        .find(WebhookEvent, { tenantId: tenant.tenantId }, { orderBy: { createdAt: 'asc' } });
      for (const { type, data } of rows) {
        seen.add(type);
        // Checks the documented data; the links are added on delivery.
        const { data: documented } =
          EVENT_BODIES.find(({ types }) => types.includes(type)) ?? assert.fail(type);
        documented.omit({ links: true }).strict().parse(data);
      }
      return rows.map(({ type, data }) => [type, of(data)]);
    },
  };
}

async function eventsAre(
  tenant: Subscribed,
  expected: unknown[][],
  of?: (data: Json) => unknown,
): Promise<void> {
  await eventually(async () => assert.deepEqual(await tenant.events(of), expected));
}

test('a file: created, completed, again after a retry, deleted and restored', async () => {
  const tenant = await subscribedTenant();
  const { client } = tenant;
  const id = await client.ingest({ bytes: await uniqueImage() });
  await client.settled(id);
  assert.equal((await client.post(`/files/${id}/retry`, { components: ['description'] })).status, 202);
  await client.settled(id);
  assert.equal((await client.delete(`/files/${id}`)).status, 200);
  assert.equal((await client.post(`/files/${id}/restore`, {})).status, 200);
  const expected = [
    ['file.created', 'pending'],
    ['file.completed', 'completed'],
    ['file.completed', 'completed'],
    ['file.deleted', 'completed'],
    ['file.restored', 'completed'],
  ];
  await eventsAre(tenant, expected);
  const [first] = await tenant.events((data) => data);
  assert.deepEqual(first, ['file.created', { file_id: id, media_type: 'image', status: 'pending' }]);
});

test('an unreadable file fails, and a file with an unreadable page is partially completed', async () => {
  const tenant = await subscribedTenant();
  const { client } = tenant;
  const jpeg = await uniqueImage();
  await client.settled(await client.ingest({ bytes: jpeg.subarray(0, jpeg.length / 2) }));
  await eventsAre(tenant, [
    ['file.created', 'pending'],
    ['file.failed', 'failed'],
  ]);
  const text = minimalPdf(['The first page.', 'The second page.']).toString('latin1');
  const bytes = Buffer.from(text.replace('6 0 R] /Count', '999 0 R] /Count'), 'latin1');
  const id = await client.ingest({ bytes, filename: 'incomplete.pdf' });
  await client.settled(id);
  await eventually(async () =>
    assert.deepEqual(
      (await tenant.events((data) => [data.file_id, data.page_number, data.status])).slice(2),
      [
        ['file.created', [id, undefined, 'pending']],
        ['document.page.failed', [id, 2, 'failed']],
        ['file.partially_completed', [id, undefined, 'partially_completed']],
      ],
    ),
  );
});

async function announce(client: Client): Promise<{ upload: Json; bytes: Buffer }> {
  const bytes = await paddedImage();
  const { status, body } = await client.post('/files/direct-uploads', {
    filename: 'a.png',
    content_type: 'image/png',
    size_bytes: bytes.length,
    claimed_file_hash: createHash('sha256').update(bytes).digest('hex'),
    auto_describe: false,
  });
  assert.equal(status, 201, JSON.stringify(body));
  return { upload: body, bytes };
}

test('a direct upload: completed, aborted, expired', async () => {
  const tenant = await subscribedTenant();
  const { client, tenantId } = tenant;
  const { upload, bytes } = await announce(client);
  const sent = await fetch(upload.presigned_url, {
    method: 'PUT',
    headers: upload.headers,
    body: Buffer.from(bytes),
  });
  assert.equal(sent.status, 200);
  const { body: completed } = await client.post(`/files/direct-uploads/${upload.upload_id}/complete`, {});
  await client.settled(completed.file_id);
  await eventually(async () =>
    assert.deepEqual(
      new Set((await tenant.events()).map(([type]) => type)),
      new Set(['file.created', 'upload.completed', 'file.completed']),
    ),
  );
  const [, data] = (await tenant.events((each) => each)).find(([type]) => type === 'upload.completed') ?? [];
  assert.deepEqual(data, { upload_id: upload.upload_id, file_id: completed.file_id, status: 'COMPLETED' });

  const { upload: aborted } = await announce(client);
  assert.equal((await client.delete(`/files/direct-uploads/${aborted.upload_id}`)).status, 200);
  const { upload: late } = await announce(client);
  const target = { uploadId: late.upload_id as string, tenantId };
  await endUpload(orm.em.fork(), target, { type: 'expired', reason: EXPIRED });
  await signalUploadEnd(
    { em: orm.em.fork(), engine },
    await orm.em.fork().findOneOrFail(DirectUpload, target.uploadId),
  );
  assert.deepEqual((await tenant.events((each) => each)).slice(3), [
    ['upload.failed', { upload_id: aborted.upload_id, status: 'FAILED' }],
    ['upload.expired', { upload_id: late.upload_id, status: 'FAILED' }],
  ]);
});

test('an upload session: started, completed, cancelled, expired', async () => {
  const tenant = await subscribedTenant();
  const { client } = tenant;
  const ofBatches = async () =>
    (await tenant.events((data) => [data.session_id, data.status])).filter(([type]) =>
      String(type).startsWith('batch.'),
    );
  const { body: batch } = await client.batch(await images(2), { auto_describe: 'false' });
  const { session_id: id } = batch;
  await client.sessionEnded(id);
  await eventually(async () =>
    assert.deepEqual(await ofBatches(), [
      ['batch.started', [id, 'uploading']],
      ['batch.completed', [id, 'completed']],
    ]),
  );
  const prepare = async (): Promise<string> => {
    const files = [{ filename: 'a.png', content_type: 'image/png', size_bytes: 100 }];
    const { status, body } = await client.post('/uploads/batch-prepare', { files });
    assert.equal(status, 200, JSON.stringify(body));
    return body.batch_id;
  };
  const cancelled = await prepare();
  assert.equal((await client.post(`/files/sessions/${cancelled}/cancel`, {})).status, 200);
  const expired = await prepare();
  const intent = await orm.em.fork().findOneOrFail(DirectUpload, { sessionId: expired });
  await endUpload(
    orm.em.fork(),
    { uploadId: intent.id, tenantId: tenant.tenantId },
    { type: 'expired', reason: EXPIRED },
  );
  await signalUploadEnd({ em: orm.em.fork(), engine }, intent);
  await client.sessionEnded(expired);
  await eventually(async () =>
    assert.deepEqual((await ofBatches()).slice(2), [
      ['batch.started', [cancelled, 'pending']],
      ['batch.cancelled', [cancelled, 'cancelled']],
      ['batch.started', [expired, 'pending']],
      ['batch.expired', [expired, 'expired']],
    ]),
  );
});

test('an extraction: completed, failed', async () => {
  const tenant = await subscribedTenant();
  const { client } = tenant;
  const schema = { type: 'object', properties: { total: { type: 'number' } } };
  const base64 = (bytes: Buffer) => bytes.toString('base64');
  const read = await client.post('/extract', { image_base64: base64(await receiptImage()), schema });
  assert.equal(read.status, 200, JSON.stringify(read.body));
  const cut = (await uniqueImage()).subarray(0, 300);
  const failed = await client.post('/extract', { image_base64: base64(cut), schema });
  assert.equal(failed.body.code, 'IMAGE_UNREADABLE', JSON.stringify(failed.body));
  assert.deepEqual(await tenant.events(), [
    ['extraction.completed', 'completed'],
    ['extraction.failed', 'failed'],
  ]);
  const [first] = await tenant.events((data) => data.extraction_id);
  assert.deepEqual(first, ['extraction.completed', read.body.extraction_id]);
});

test('an export: completed, failed', async () => {
  const tenant = await subscribedTenant();
  const { client, tenantId } = tenant;
  const { status, body } = await client.post('/files/export', {
    format: 'csv',
    columns: [{ field_key: 'id' }],
  });
  assert.equal(status, 200, JSON.stringify(body));
  const target = { exportId: randomUUID(), tenantId };
  const spec = {
    columns: [{ key: 'id', name: 'id' }],
    flattenTags: true,
    includeSubfolders: false,
  } as Json;
  const { credential } = ownerOf(tenantId, 'enterprise');
  await createExport(
    orm.em.fork(),
    target,
    { kind: 'files', format: 'csv', spec },
    { credential, ipAddress: '127.0.0.1' },
  );
  await discardExport(orm.em.fork(), target);
  assert.deepEqual(await tenant.events((data) => data), [
    ['export.completed', { export_id: body.export_id, status: 'completed' }],
    ['export.failed', { export_id: target.exportId, status: 'failed' }],
  ]);
});

test('a reprocessing: completed, paused, failed', async () => {
  const tenant = await subscribedTenant();
  const { client, tenantId } = tenant;
  const { status, body } = await client.post('/reprocessing', {
    filter: { ids: [randomUUID()] },
    components: ['description'],
    reason: 'a new model',
  });
  assert.equal(status, 202, JSON.stringify(body));
  await eventually(async () => {
    const { body: read } = await client.get(`/reprocessing/${body.reprocessing_id}`);
    assert.equal(read.status, 'completed');
  });
  const reprocessingId = randomUUID();
  const { credential } = ownerOf(tenantId, 'enterprise');
  await createReprocessing(
    orm.em.fork(),
    { reprocessingId, tenantId },
    {
      selection: { searchMode: 'all', includeSubfolders: false },
      parts: ['description'],
      reason: 'a new model',
      createdAt: new Date(),
      schemaId: undefined,
      filesPerMinute: undefined,
    },
    { totalFiles: 0, credits: 0, media: [] },
    { tenantId, credential, ipAddress: '127.0.0.1' },
  );
  const caller = { tenantId, credential, ipAddress: '127.0.0.1' };
  await changeReprocessing(orm.em.fork(), reprocessingId, 'pause', caller);
  const reason = { code: 'NOT_FOUND', message: 'its folder is gone' };
  await failReprocessing(orm.em.fork(), { reprocessingId, tenantId }, reason);
  assert.deepEqual(await tenant.events((data) => data), [
    ['reprocessing.completed', { reprocessing_id: body.reprocessing_id, status: 'completed' }],
    ['reprocessing.paused', { reprocessing_id: reprocessingId, status: 'paused' }],
    ['reprocessing.failed', { reprocessing_id: reprocessingId, status: 'failed' }],
  ]);
});

test('a split: failed without credits, completed, cancelled', async () => {
  const tenant = await subscribedTenant();
  const { client, tenantId } = tenant;
  const bytes = minimalPdf(['Page 1 of 1', 'Page 1 of 2', 'Page 2 of 2']);
  const id = await client.ingest({ bytes, filename: 'post.pdf', fields: { auto_describe: 'false' } });
  await client.settled(id);
  const begin = (body: object = {}) => client.post(`/files/${id}/splits`, body);
  const ended = async ({ status, body }: { status: number; body: Json }): Promise<Json> => {
    assert.equal(status, 202, JSON.stringify(body));
    return eventually(async () => {
      const { body: read } = await client.get(`/splits/${body.split_id}`);
      assert.notEqual(read.status, 'processing');
      return read;
    });
  };
  await orm.em.fork().nativeUpdate(Tenant, tenantId, { maxMonthlyCredits: 2 });
  const unpaid = await ended(await begin());
  assert.deepEqual(
    [unpaid.status, unpaid.stored_parts, unpaid.error_message],
    ['failed', 0, '2 credits needed, 1 of 2 left this month (1 short)'],
  );
  const { status: refused, body: reason } = await begin({ ranges: ['1', '2-3'] });
  assert.deepEqual([refused, reason.code], [429, 'QUOTA_EXHAUSTED']);
  await orm.em.fork().nativeUpdate(Tenant, tenantId, { maxMonthlyCredits: 3 });
  const done = await ended(await begin({ ranges: ['1', '2-3'] }));
  assert.deepEqual([done.status, done.stored_parts], ['completed', 2], JSON.stringify(done));
  // What is stored is not paid again.
  const again = await ended(await begin());
  assert.equal(again.status, 'completed', JSON.stringify(again));

  const caller = { tenantId, credential: ownerOf(tenantId, 'enterprise').credential, ipAddress: '127.0.0.1' };
  const target = { splitId: randomUUID(), tenantId };
  const file = await orm.em.fork().findOneOrFail(StoredFile, id);
  const wanted = { ranges: undefined, dryRun: true, keepSeparators: false };
  await createSplit(orm.em.fork(), target, file, wanted, caller);
  await endSplit(orm.em.fork(), target, { status: 'cancelled' });
  const events = (await tenant.events((data) => data)).filter(([type]) => String(type).startsWith('split.'));
  const event = (splitId: string, status: string) => [
    `split.${status}`,
    { split_id: splitId, file_id: id, status },
  ];
  assert.deepEqual(events, [
    event(unpaid.split_id, 'failed'),
    event(done.split_id, 'completed'),
    event(again.split_id, 'completed'),
    event(target.splitId, 'cancelled'),
  ]);
});

test('80 % and 100 % of the credits of the month, once each', async () => {
  const tenant = await subscribedTenant();
  const { client, tenantId } = tenant;
  await orm.em.fork().nativeUpdate(Tenant, tenantId, { maxMonthlyCredits: 5 });
  for (let file = 0; file < 5; file += 1) await client.ingest({ bytes: await uniqueImage() });
  assert.equal((await client.upload({ bytes: await uniqueImage() })).body.code, 'QUOTA_EXHAUSTED');
  const reached = (await tenant.events((data) => data)).filter(
    ([type]) => type === 'usage.threshold_reached',
  );
  const month = new Date().toISOString().slice(0, 7);
  assert.deepEqual(
    reached.map(([, data]) => data),
    [
      { month, threshold_percent: 80, credits_used: 4, credits_limit: 5 },
      { month, threshold_percent: 100, credits_used: 5, credits_limit: 5 },
    ],
  );
});

test('a new API key, and nothing of another tenant', async () => {
  const tenant = await subscribedTenant();
  const { client } = await logIn(orm, run, { tenantId: tenant.tenantId });
  const { status, body } = await client.post('/api-keys', { name: 'ci' });
  assert.equal(status, 201, JSON.stringify(body));
  await (await logIn(orm, run)).client.post('/api-keys', { name: 'theirs' });
  assert.deepEqual(await tenant.events((data) => data), [['api_key.created', { key_id: body.id }]]);
});

test('a subscription gets only its event types, and a tenant without one has no events', async () => {
  const tenant = await createOwnTenant(orm, run);
  const { client, tenantId } = tenant;
  await client.settled(
    await client.ingest({ bytes: await uniqueImage(), fields: { auto_describe: 'false' } }),
  );
  assert.equal(await orm.em.fork().count(WebhookEvent, { tenantId }), 0);
  const [ofFiles, completed, ofExports] = await Promise.all([
    subscribe(orm, { tenantId, eventTypes: ['file.*'] }),
    subscribe(orm, { tenantId, eventTypes: ['file.completed', 'batch.*'] }),
    subscribe(orm, { tenantId, eventTypes: ['export.*'] }),
  ]);
  await subscribe(orm, { tenantId, eventTypes: ['*'], enabled: false });
  await client.settled(
    await client.ingest({ bytes: await uniqueImage(), fields: { auto_describe: 'false' } }),
  );
  await eventually(async () => {
    const rows = await orm.em.fork().execute<{ subscription_id: string; type: string }[]>(
      `select subscription_id, type from webhook_deliveries d join webhook_events e on e.id = event_id
       where d.tenant_id = ? order by sequence, subscription_id`,
      [tenantId],
    );
    const of = (id: string) =>
      rows.flatMap(({ subscription_id, type }) => (subscription_id === id ? type : []));
    assert.deepEqual(
      [of(ofFiles), of(completed), of(ofExports)],
      [['file.created', 'file.completed'], ['file.completed'], []],
    );
    assert.equal(rows.length, 3);
  });
});

test('an import: started, paused, resumed, completed, failed and cancelled', async (t) => {
  const site = await startWebSite('127.0.0.1');
  t.after(() => site.stop());
  site.serve('/list', pages.of(Buffer.from('{}\n')));
  site.serve('/slow', pages.stalled(Buffer.from('{}')));
  site.serve('/none', pages.error(404));
  const tenant = await subscribedTenant();
  const begin = async (path: string): Promise<string> => {
    const source = { type: 'manifest', url: site.url(path) };
    const { status, body } = await tenant.client.post('/imports', { source });
    assert.equal(status, 202, JSON.stringify(body));
    return body.id;
  };
  const ids = { list: await begin('/list'), slow: await begin('/slow'), none: await begin('/none') };
  for (const action of ['pause', 'resume', 'cancel']) {
    const { status, body } = await tenant.client.post(`/imports/${ids.slow}/${action}`, {});
    assert.equal(status, 200, JSON.stringify(body));
  }
  const expected = [
    ['import.started', ids.list],
    ['import.completed', ids.list],
    ['import.started', ids.slow],
    ['import.paused', ids.slow],
    ['import.resumed', ids.slow],
    ['import.cancelled', ids.slow],
    ['import.started', ids.none],
    ['import.failed', ids.none],
  ];
  await eventually(async () => {
    const events = await tenant.events(({ import_id: id }) => id);
    assert.deepEqual(events.toSorted(), expected.toSorted());
  }, 30);
});

test('this file covers every event type', () => {
  assert.deepEqual([...seen].toSorted(), WEBHOOK_EVENT_TYPES.toSorted());
});
