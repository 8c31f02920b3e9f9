import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import sharp from 'sharp';
import { createClient, eventually, sharedRun, type Json } from '../support/api.ts';

const run = sharedRun();
const client = createClient(run);
const stranger = createClient(run, run.tenants.starter.api_key);

/** A unique image that is similar to the one with the next number. */
const image = (hue: number) =>
  sharp({
    create: { width: 160, height: 120, channels: 3, background: { r: 200, g: hue % 256, b: hue >> 8 } },
  })
    .composite([
      {
        input: Buffer.from('<svg width="80" height="60"><circle cx="40" cy="30" r="25" fill="#fff"/></svg>'),
      },
    ])
    .png()
    .toBuffer();
let hue = 0;
const upload = async (fields: Record<string, string> = { auto_describe: 'false' }) =>
  client.ingest({ bytes: await image((hue += 1)), fields });

test('a deleted file is absent from every route and the list, and a restore brings it back completely', async () => {
  const id = await upload();
  const before = await client.settled(id);
  const deleted = await client.delete(`/files/${id.slice(0, 8)}`);
  assert.equal(deleted.status, 200, JSON.stringify(deleted.body));
  assert.equal(deleted.body.id, id);
  assert.ok(Math.abs(Date.parse(deleted.body.deleted_at) - Date.now()) < 60_000);
  assert.match(deleted.body.message, /restore/);

  for (const ask of [
    () => client.get(`/files/${id}`),
    () => client.get(`/files/${id}?format=markdown`),
    () => client.get(`/files/${id}/timeline`),
    () => client.get(`/files/${id}/download`),
    () => client.get(`/files/${id}/variant/tiny_64`),
    () => client.get(`/files/${id}/similar`),
    () => client.patch(`/files/${id}`, { title: 'a' }),
    () => client.post(`/files/${id}/retry`, { components: ['variant'] }),
    () => client.delete(`/files/${id}`),
  ]) {
    assert.equal((await ask()).status, 404);
  }
  const { items } = (await client.get('/files?limit=100')).body;
  assert.ok(!items.some((item: Json) => item.id === id));

  const { status, body } = await client.post(`/files/${id}/restore`, {});
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(
    [body.id, body.restored, body.resumed, body.primary_status, body.duplicate_of],
    [id, true, [], 'completed', null],
  );
  const after = await client.settled(id);
  assert.equal(after.blur_hash, before.blur_hash);
  assert.equal(after.variant_count, 4);
});

test('restoring a file that is not in the trash changes nothing and reports it', async () => {
  const id = await upload();
  const before = await client.settled(id);
  const { status, body } = await client.post(`/files/${id}/restore`, {});
  assert.equal(status, 200);
  assert.equal(body.restored, false);
  assert.equal((await client.get(`/files/${id}`)).body.updated_at, before.updated_at);
});

test('a file in the trash is not a duplicate, and a restore that creates a duplicate names the other file', async () => {
  const bytes = await image((hue += 1));
  const first = await client.ingest({ bytes, fields: { auto_describe: 'false' } });
  await client.delete(`/files/${first}`);
  const again = await client.upload({ bytes, fields: { skip_duplicates: 'true', auto_describe: 'false' } });
  assert.equal(again.body.skipped, false);
  assert.notEqual(again.body.file_id, first);
  const { body } = await client.post(`/files/${first}/restore`, {});
  assert.equal(body.duplicate_of, again.body.file_id);
  assert.match(body.message, /same content/);
});

test('a deleted image is removed from the similarity index, a restored one is found again', async () => {
  const [one, two] = [await upload({}), await upload({})];
  await Promise.all([client.settled(one), client.settled(two)]);
  const similar = async () =>
    (await client.get(`/files/${one}/similar?limit=50`)).body.items.map((item: Json) => item.image_id);
  assert.ok((await similar()).includes(two));
  await client.delete(`/files/${two}`);
  assert.ok(!(await similar()).includes(two));
  await client.post(`/files/${two}/restore`, {});
  await eventually(async () => {
    assert.ok((await similar()).includes(two));
    assert.equal((await client.get(`/files/${two}/similar`)).status, 200);
  });
});

test('processing that was interrupted by a deletion continues after the restore', async () => {
  const id = await upload({});
  assert.equal((await client.delete(`/files/${id}`)).status, 200);
  const { body } = await client.post(`/files/${id}/restore`, {});
  assert.equal(body.restored, true);
  const file = await client.settled(id);
  assert.equal(file.primary_status, 'completed');
  assert.equal(file.description_status, 'completed');
  await eventually(async () => assert.equal((await client.get(`/files/${id}/similar`)).status, 200));
});

test('a batch returns a result for each file', async () => {
  const [one, two, before] = [await upload(), await upload(), await upload()];
  await client.delete(`/files/${before}`);
  const foreign = await stranger.ingest({ bytes: await image(hue), fields: { auto_describe: 'false' } });
  const absent = randomUUID();
  const { status, body } = await client.post('/files/batch-delete', {
    file_ids: [one, absent, before, two.toUpperCase(), foreign],
  });
  assert.equal(status, 200, JSON.stringify(body));
  const ids = (items: Json[]) => items.map(({ id }) => id);
  assert.deepEqual(ids(body.deleted), [one, two]);
  assert.deepEqual(ids(body.skipped), [before]);
  assert.deepEqual(ids(body.failed), [absent, foreign]);
  assert.deepEqual(body.summary, { total: 5, deleted: 2, skipped: 1, failed: 2 });
  for (const item of [...body.deleted, ...body.skipped]) {
    assert.equal(item.status, 'deleted');
    assert.ok(Date.parse(item.deleted_at) <= Date.now() + 60_000);
  }
  const [unknown, theirs] = body.failed;
  assert.deepEqual({ ...theirs, id: '' }, { ...unknown, id: '' });
  assert.deepEqual([unknown.status, unknown.deleted_at], ['failed', null]);
  assert.equal((await client.get(`/files/${two}`)).status, 404);
  assert.equal((await stranger.get(`/files/${foreign}`)).status, 200);
});

test('two concurrent batches of the same files delete each file once', async () => {
  const ids = await Promise.all([upload(), upload(), upload()]);
  const answers = await Promise.all([
    client.post('/files/batch-delete', { file_ids: ids }),
    client.post('/files/batch-delete', { file_ids: ids.toReversed() }),
  ]);
  const all = (key: string) => answers.flatMap(({ body }) => body[key].map(({ id }: Json) => id));
  assert.deepEqual(all('deleted').toSorted(), ids.toSorted());
  assert.deepEqual(all('skipped').toSorted(), ids.toSorted());
});

const BAD: [string, unknown, string][] = [
  ['no ids', { file_ids: [] }, '/body/file_ids'],
  ['no list', {}, '/body/file_ids'],
  ['101 ids', { file_ids: Array.from({ length: 101 }, () => randomUUID()) }, '/body/file_ids'],
  ['a malformed id', { file_ids: ['81962aa5'] }, '/body/file_ids/0'],
  ['an id twice', { file_ids: twice(randomUUID()) }, '/body/file_ids'],
  ['an unknown field', { file_ids: [randomUUID()], force: true }, '/body/force'],
];
function twice(id: string): string[] {
  return [id, id.toUpperCase()];
}
for (const [what, body, pointer] of BAD) {
  test(`a batch with ${what} is rejected with 422`, async () => {
    const answer = await client.post('/files/batch-delete', body);
    assert.equal(answer.status, 422, JSON.stringify(answer.body));
    assert.equal(answer.body.errors[0].pointer, pointer);
  });
}

test('foreign and absent files can be neither deleted nor restored, with the same response', async () => {
  const id = await upload();
  const trashed = await upload();
  await client.delete(`/files/${trashed}`);
  const answers = await Promise.all([
    stranger.delete(`/files/${id}`),
    stranger.delete(`/files/${randomUUID()}`),
    stranger.post(`/files/${id}/restore`, {}),
    stranger.post(`/files/${trashed}/restore`, {}),
    stranger.post(`/files/${trashed.slice(0, 8)}/restore`, {}),
    stranger.post('/files/nonsense/restore', {}),
  ]);
  assert.deepEqual(
    answers.map(({ status, body }) => `${status} ${body.code} ${body.detail}`),
    answers.map(() => '404 NOT_FOUND file not found'),
  );
  assert.equal((await client.get(`/files/${id}`)).status, 200);
});

test('a file in the trash has no receipt, and foreign, absent and malformed ids get the same response', async () => {
  const id = await upload();
  await client.delete(`/files/${id}`);
  const answers = await Promise.all([
    client.get(`/files/deletions/${id}`),
    client.get(`/files/deletions/${id.slice(0, 8)}`),
    client.get(`/files/deletions/${randomUUID()}`),
    client.get('/files/deletions/nonsense'),
    stranger.get(`/files/deletions/${id}`),
  ]);
  assert.deepEqual(
    answers.map(({ status, body }) => `${status} ${body.code} ${body.detail}`),
    answers.map(() => '404 NOT_FOUND receipt not found'),
  );
});

test('receipts are listed by page, and an invalid page is rejected', async () => {
  const { status, body } = await client.get('/files/deletions?limit=5&offset=100000');
  assert.equal(status, 200);
  assert.deepEqual(
    { ...body, total_count: 0 },
    { items: [], total_count: 0, limit: 5, offset: 100000, has_more: false },
  );
  for (const [query, pointer] of [
    ['limit=0', '/query/limit'],
    ['limit=101', '/query/limit'],
    ['offset=-1', '/query/offset'],
    ['offset=x', '/query/offset'],
  ]) {
    const refused = await client.get(`/files/deletions?${query}`);
    assert.equal(refused.status, 422);
    assert.equal(refused.body.errors[0].pointer, pointer);
  }
});
