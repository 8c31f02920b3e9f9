import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { Reprocessing } from '../../../db/entities/reprocessing/reprocessing.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { removeFormerDescriptions } from '../../../services/reprocessing/roll-back.ts';
import { createClient, eventually, sharedRun, type Client, type Json } from '../../support/api.ts';
import { minimalPdf } from '../../support/documents.ts';
import { uniqueImage } from '../../support/images.ts';
import { createOwnTenant, type OwnTenant } from '../../support/own-tenant.ts';

const run = sharedRun();
const config = readConfig([databaseConfig], process.env);
const orm = createOrm(config);
after(() => orm.close(true));

const FORMER = 'what an earlier model saw';
const REASON = 'a new model';
let own: OwnTenant;
let files: string[];

/** Files that are described, as if by an earlier model. */
async function describedFiles(client: Client, count: number, folder?: string): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at++) {
    const fields = { title: `title ${at}`, tags: 'by-hand', ...(folder && { folder_id: folder }) };
    ids.push(await client.ingest({ bytes: await uniqueImage(), filename: `${at}.png`, fields }));
  }
  for (const id of ids) await client.settled(id);
  const former = { uploadDescription: FORMER, tags: ['by-hand', 'former'] };
  await orm.em.fork().nativeUpdate(StoredFile, { id: { $in: ids } }, former);
  return ids;
}

before(async () => {
  own = await createOwnTenant(orm, run);
  files = await describedFiles(own.client, 3);
  await own.client.patch(`/files/${files[0]}`, { user_description: 'written by a person' });
});

async function begin(client: Client, body: Json): Promise<Json> {
  const answer = await client.post('/reprocessing', { components: ['description'], reason: REASON, ...body });
  assert.equal(answer.status, 202, JSON.stringify(answer.body));
  return answer.body;
}

function reached(client: Client, id: string, statuses: string[], seconds = 90): Promise<Json> {
  return eventually(async () => {
    const { status, body } = await client.get(`/reprocessing/${id}`);
    assert.equal(status, 200, JSON.stringify(body));
    assert.ok(statuses.includes(body.status), JSON.stringify(body));
    return body;
  }, seconds);
}

const generations = async (ids: string[]) =>
  (await orm.em.fork().find(StoredFile, { id: { $in: ids } })).map(({ generation }) => generation);

test('an estimate counts files and credits by medium, and starts nothing', async () => {
  const { status, body } = await own.client.post('/reprocessing', {
    filter: { ids: [...files, randomUUID()] },
    components: ['description', 'vectors'],
    reason: REASON,
    dry_run: true,
  });
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(body, {
    total_files: 3,
    estimated_credits: 3,
    media: [{ media_type: 'image', files: 3, estimated_credits: 3, components: ['description'] }],
  });
  assert.deepEqual((await own.client.get('/reprocessing')).body.items, []);
  assert.deepEqual(await generations(files), [1, 1, 1]);
});

test('files are described again once each, keep what people wrote, and get their descriptions back by a rollback', async () => {
  const { client } = own;
  const record = await begin(client, { filter: { media_types: ['image'] } });
  assert.deepEqual([record.status, record.total_files, record.estimated_credits], ['processing', 3, 3]);
  const done = await reached(client, record.reprocessing_id, ['completed']);
  assert.deepEqual(done.progress, { processing: 0, completed: 3, failed: 0, skipped: 0, percent: 100 });
  assert.deepEqual(await generations(files), [2, 2, 2]);

  const { body: first } = await client.get(`/reprocessing/${record.reprocessing_id}/files?limit=2`);
  const { body: second } = await client.get(
    `/reprocessing/${record.reprocessing_id}/files?limit=2&cursor=${first.next_cursor}`,
  );
  assert.deepEqual([first.items.length, second.items.length, second.next_cursor], [2, 1, null]);
  const listed: Json[] = [...first.items, ...second.items];
  assert.deepEqual(listed.map(({ file_id: id }) => id).toSorted(), files.toSorted());
  for (const file of listed) {
    assert.deepEqual(
      [file.status, file.generation, file.components, file.error, file.description_before],
      ['completed', 2, ['description'], null, FORMER],
    );
    assert.notEqual(file.description_after, FORMER);
  }
  const { body: failed } = await client.get(`/reprocessing/${record.reprocessing_id}/files?status=failed`);
  assert.deepEqual([failed.items, failed.total_count], [[], 0]);
  const other = await client.get(
    `/reprocessing/${record.reprocessing_id}/files?status=failed&cursor=${first.next_cursor}`,
  );
  assert.equal(other.status, 422);

  const { body: described } = await client.get(`/files/${files[0]}`);
  assert.equal(described.user_description, 'written by a person');
  assert.equal(described.title, 'title 0');
  assert.notEqual(described.upload_description, FORMER);
  assert.ok(described.tags.includes('by-hand'));
  // A later run must not be undone.
  const last = files[2] ?? '';
  assert.equal((await client.post(`/files/${last}/retry`, { components: ['description'] })).status, 202);
  await client.settled(last);
  await client.patch(`/files/${files[1]}`, { tags: ['by-hand', 'former', 'later by hand'] });

  const { status, body } = await client.post(`/reprocessing/${record.reprocessing_id}/rollback`, {});
  assert.equal(status, 200, JSON.stringify(body));
  const back = await reached(client, record.reprocessing_id, ['rolled_back']);
  assert.equal(back.restored_files, 2);
  const now = await Promise.all(files.map(async (id) => (await client.get(`/files/${id}`)).body));
  assert.deepEqual(
    now.map((file) => file.upload_description === FORMER),
    [true, true, false],
  );
  assert.deepEqual(now[0].tags.toSorted(), ['by-hand', 'former']);
  assert.deepEqual(now[1].tags.toSorted(), ['by-hand', 'former', 'later by hand']);
  assert.equal((await client.post(`/reprocessing/${record.reprocessing_id}/rollback`, {})).status, 200);
});

test('a closed one forgets the former descriptions and cannot be rolled back', async () => {
  const { client } = own;
  const { reprocessing_id: id } = await begin(client, { filter: { ids: [files[0]] } });
  await reached(client, id, ['completed']);
  const { body: closed } = await client.post(`/reprocessing/${id}/close`, {});
  assert.ok(closed.closed_at);
  const { body: list } = await client.get(`/reprocessing/${id}/files`);
  assert.equal(list.items[0].description_before, null);
  const refused = await client.post(`/reprocessing/${id}/rollback`, {});
  assert.deepEqual([refused.status, refused.body.code], [409, 'REPROCESSING_CONFLICT']);
  await eventually(async () => {
    const em = orm.em.fork();
    await removeFormerDescriptions(em);
    const rows = await em.execute<{ kept: number }[]>(
      'select count(description_before)::int as kept from reprocessing_files where reprocessing_id = ?',
      [id],
    );
    assert.equal(rows[0]?.kept, 0);
  });
});

test('no further file begins while it is paused or once it is cancelled', async () => {
  const tenant = await createOwnTenant(orm, run);
  const { client } = tenant;
  const ids = await describedFiles(client, 3);
  const record = await begin(client, { filter: { ids }, files_per_minute: 1 });
  const id = record.reprocessing_id as string;
  const begun = async () => (await generations(ids)).filter((generation) => generation > 1).length;
  await eventually(async () => assert.equal(await begun(), 1));
  const { body: paused } = await client.post(`/reprocessing/${id}/pause`, {});
  assert.deepEqual([paused.status, paused.pause_reason.code], ['paused', 'PAUSED_BY_REQUEST']);
  const early = await client.post(`/reprocessing/${id}/rollback`, {});
  assert.deepEqual([early.status, early.body.code], [409, 'REPROCESSING_CONFLICT']);
  await eventually(async () => {
    const { body } = await client.get(`/reprocessing/${id}`);
    assert.deepEqual([body.progress.completed, body.progress.processing], [1, 0]);
  });
  assert.equal((await client.post(`/reprocessing/${id}/resume`, {})).body.status, 'processing');
  await eventually(async () => assert.equal(await begun(), 2));
  const { body: cancelled } = await client.post(`/reprocessing/${id}/cancel`, {});
  assert.equal(cancelled.status, 'cancelled');
  assert.equal((await client.post(`/reprocessing/${id}/cancel`, {})).status, 200);
  assert.equal((await client.post(`/reprocessing/${id}/resume`, {})).status, 409);
  // Files in progress end, and are counted.
  await eventually(async () => {
    const { body } = await client.get(`/reprocessing/${id}`);
    assert.deepEqual([body.progress.completed, body.progress.processing], [2, 0]);
  });
  assert.equal(await begun(), 2);
});

test('a shortage of credits pauses it with the reason, and it continues where it was', async () => {
  const tenant = await createOwnTenant(orm, run);
  const { client, tenantId } = tenant;
  const ids = await describedFiles(client, 3);
  const limit = (credits: number) =>
    orm.em.fork().execute('update tenants set max_monthly_credits = ? where id = ?', [credits, tenantId]);
  await limit(4);
  const { reprocessing_id: id } = await begin(client, { filter: { ids } });
  const paused = await reached(client, id, ['paused']);
  assert.equal(paused.pause_reason.code, 'QUOTA_EXHAUSTED');
  assert.equal((await generations(ids)).filter((generation) => generation > 1).length, 1);
  await limit(-1);
  await client.post(`/reprocessing/${id}/resume`, {});
  const done = await reached(client, id, ['completed']);
  assert.deepEqual([done.progress.completed, done.progress.failed], [3, 0]);
  assert.deepEqual(await generations(ids), [2, 2, 2]);
});

test('a document is read again and its data are extracted by another schema', async () => {
  const { client } = await createOwnTenant(orm, run);
  const bytes = minimalPdf(['Invoice 4711 of the harbour']);
  const fields = { auto_describe: 'false' };
  const id = await client.ingest({ bytes, filename: 'invoice.pdf', fields });
  await client.settled(id, 180);
  const schema = { type: 'object', properties: { number: { type: 'string' } } };
  const { body: saved } = await client.post('/extraction-schemas', {
    name: 'Invoice',
    schema,
    status: 'live',
  });
  const wanted = {
    filter: { search: 'harbour', search_mode: 'visible_text', media_types: ['document'] },
    components: ['text', 'extraction'],
    custom_schema_id: saved.id,
  };
  const { body: estimate } = await client.post('/reprocessing', { ...wanted, reason: REASON, dry_run: true });
  assert.deepEqual([estimate.total_files, estimate.estimated_credits], [1, 3]);
  const record = await begin(client, wanted);
  const done = await reached(client, record.reprocessing_id, ['completed'], 180);
  const { body: list } = await client.get(`/reprocessing/${record.reprocessing_id}/files`);
  const [file] = list.items;
  assert.deepEqual(
    [file.file_id, file.components],
    [id, ['text_extraction', 'digitization', 'extraction']],
    JSON.stringify(done),
  );
  const { body: found } = await client.get(`/extractions?file_id=${id}`);
  assert.deepEqual([found.items.length, found.items[0]?.schema_id], [1, saved.id]);

  // Every page can be read, so nothing is to be read again.
  const { reprocessing_id: pages } = await begin(client, { filter: { ids: [id] }, components: ['pages'] });
  assert.equal((await reached(client, pages, ['completed'])).progress.skipped, 1);
});

test('files without such a part are skipped with the reason', async () => {
  const { client } = own;
  const { reprocessing_id: id } = await begin(client, { filter: { ids: files }, components: ['vectors'] });
  const done = await reached(client, id, ['completed']);
  assert.deepEqual([done.progress.skipped, done.progress.percent], [3, 100]);
  const { body } = await client.get(`/reprocessing/${id}/files?status=skipped`);
  assert.deepEqual(
    body.items.map((file: Json) => [file.error.code, file.generation]),
    files.map(() => ['NOTHING_TO_RETRY', null]),
  );
});

test('foreign files and reprocessings look like absent ones', async () => {
  const stranger = await createOwnTenant(orm, run);
  const record = await begin(stranger.client, { filter: { ids: files } });
  assert.equal(record.total_files, 0);
  await reached(stranger.client, record.reprocessing_id, ['completed']);
  const foreign = `/reprocessing/${record.reprocessing_id}`;
  for (const path of [
    foreign,
    `${foreign}/files`,
    `/reprocessing/${randomUUID()}`,
    '/reprocessing/nothing',
  ]) {
    const { status, body } = await own.client.get(path);
    assert.deepEqual([status, body.code], [404, 'NOT_FOUND'], path);
  }
  for (const action of ['pause', 'resume', 'cancel', 'rollback', 'close'])
    assert.equal((await own.client.post(`${foreign}/${action}`, {})).status, 404);
  const folder = await own.client.post('/reprocessing', {
    filter: { folder_id: randomUUID() },
    components: ['description'],
    reason: REASON,
  });
  assert.equal(folder.status, 404);
});

test('bad requests are refused with the field', async () => {
  const valid = { filter: { ids: files }, components: ['description'], reason: REASON };
  const bad: [Json, string][] = [
    [{ ...valid, filter: undefined }, '/body/filter'],
    [{ ...valid, filter: {} }, '/body/filter'],
    [{ ...valid, filter: { include_subfolders: true } }, '/body/filter'],
    [{ ...valid, filter: { colour: 'red' } }, '/body/filter'],
    [{ ...valid, filter: { ids: Array.from({ length: 1001 }, () => randomUUID()) } }, '/body/filter/ids'],
    [{ ...valid, filter: { ids: ['x'] } }, '/body/filter/ids/0'],
    [{ ...valid, components: [] }, '/body/components'],
    [{ ...valid, components: ['everything'] }, '/body/components/0'],
    [{ ...valid, components: ['extraction'] }, '/body/custom_schema_id'],
    [{ ...valid, reason: ' ' }, '/body/reason'],
    [{ ...valid, files_per_minute: 0 }, '/body/files_per_minute'],
  ];
  for (const [body, pointer] of bad) {
    const answer = await own.client.post('/reprocessing', body);
    assert.equal(answer.status, 422, JSON.stringify(answer.body));
    assert.ok(
      answer.body.errors.some((error: Json) => error.pointer.startsWith(pointer)),
      `${pointer}: ${JSON.stringify(answer.body.errors)}`,
    );
  }
  const unknown = { ...valid, components: ['extraction'], custom_schema_id: randomUUID() };
  assert.equal((await own.client.post('/reprocessing', unknown)).body.code, 'CUSTOM_SCHEMA_NOT_FOUND');
  const reader = createClient(run, 'nothing');
  assert.equal((await reader.post('/reprocessing', valid)).status, 401);
});

test('at most five are open in an account', async () => {
  const tenant = await createOwnTenant(orm, run);
  const em = orm.em.fork();
  for (let at = 0; at < 5; at++) {
    await em.insert(Reprocessing, {
      id: randomUUID(),
      tenantId: tenant.tenantId,
      status: 'paused',
      selection: { searchMode: 'all', includeSubfolders: false, fileIds: [] },
      parts: ['description'],
      reason: REASON,
      totalCount: 0,
      estimatedCredits: 0,
      createdAt: new Date(),
    });
  }
  const { status, body } = await tenant.client.post('/reprocessing', {
    filter: { media_types: ['image'] },
    components: ['description'],
    reason: REASON,
  });
  assert.deepEqual([status, body.code], [429, 'TOO_MANY_REPROCESSINGS']);
  await em.nativeDelete(Reprocessing, { tenantId: tenant.tenantId });
});
