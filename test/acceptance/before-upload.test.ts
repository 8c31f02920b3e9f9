import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import sharp from 'sharp';
import { createClient, sharedRun, type Json } from '../support/api.ts';

const run = sharedRun();
const client = createClient(run);
const starter = createClient(run, run.tenants.starter.api_key);
const professional = createClient(run, run.tenants.professional.api_key);

const image = (width: number) =>
  sharp({ create: { width, height: 7, channels: 3, background: '#2b5' } })
    .png()
    .toBuffer();
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const unknown = () => randomBytes(32).toString('hex');
const check = (hashes: unknown, by = client) => by.post('/files/check-duplicates', { hashes });

test('known hashes are returned with their oldest file, the others as unique', async () => {
  const [here, twice, trashed, foreign] = await Promise.all([701, 702, 703, 704].map(image));
  assert.ok(here && twice && trashed && foreign);
  const fields = { auto_describe: 'false' };
  const first = await client.ingest({ bytes: here, filename: 'here.png', fields });
  const older = await client.ingest({ bytes: twice, filename: 'older.png', fields });
  await client.ingest({ bytes: twice, filename: 'newer.png', fields });
  await client.delete(`/files/${await client.ingest({ bytes: trashed, fields })}`);
  await starter.ingest({ bytes: foreign, fields });

  const absent = unknown();
  const { status, body } = await check([
    sha256(twice),
    absent,
    sha256(here).toUpperCase(),
    sha256(trashed),
    sha256(foreign),
    sha256(here),
  ]);
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(body.duplicates, [
    { hash: sha256(twice), file_id: older, filename: 'older.png' },
    { hash: sha256(here), file_id: first, filename: 'here.png' },
  ]);
  assert.deepEqual(body.unique, [absent, sha256(trashed), sha256(foreign)]);
});

test('250 hashes are checked, 251 and malformed ones are rejected', async () => {
  const hashes = Array.from({ length: 251 }, unknown);
  const { status, body } = await check(hashes.slice(1));
  assert.equal(status, 200);
  assert.deepEqual(body, { duplicates: [], unique: hashes.slice(1) });
  for (const bad of [hashes, [], 'a', ['a'], [unknown().slice(1)], [`${unknown().slice(1)}g`], [7], null]) {
    assert.equal((await check(bad)).status, 422, JSON.stringify(bad).slice(0, 80));
  }
  assert.equal((await client.post('/files/check-duplicates', { hashes: [unknown()], x: 1 })).status, 422);
});

const quota = (count: string | number, by = client) => by.get(`/files/quota-check?file_count=${count}`);

test('an unlimited account can always proceed', async () => {
  const { status, body } = await quota(1_000_000);
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(typeof body.current_usage, 'number');
  assert.deepEqual(
    { ...body, current_usage: 0 },
    {
      can_proceed: true,
      requested: 1_000_000,
      available: -1,
      monthly_limit: -1,
      current_usage: 0,
      prepaid_credits: 0,
      max_batch_size: 200,
      max_concurrent_uploads: 47,
      message: null,
    },
  );
});

test('a limited account gets its remaining credits and the shortfall', async () => {
  const enough = (await quota(1, professional)).body;
  assert.equal(enough.can_proceed, true);
  assert.equal(enough.monthly_limit, 10_000);
  assert.equal(enough.max_batch_size, 100);
  assert.equal(enough.available, 10_000 - enough.current_usage);
  const { body } = await quota(10_001, professional);
  assert.equal(body.can_proceed, false);
  assert.match(body.message, /^10001 credits needed, \d+ of 10000 left this month \(\d+ short\)$/);
  assert.equal((await quota(1, starter)).body.max_batch_size, 50);
});

test('an invalid count is rejected', async () => {
  for (const bad of ['', '0', '-1', '1.5', 'x', '1e99', 'NaN', '1&file_count=2']) {
    const { status, body } = await quota(bad);
    assert.equal(status, 422, bad);
    assert.equal(body.errors[0].pointer, '/query/file_count');
  }
  assert.equal((await client.get('/files/quota-check')).status, 422);
});

test('a form of 130,000 invalid tags is rejected with a short response', async () => {
  const answer = await client.upload({ bytes: await image(9), fields: { tags: '\0,'.repeat(80_000) } });
  assert.equal(answer.status, 422);
  assert.ok(JSON.stringify(answer.body).length < 1000);
});

test('at most twenty errors are listed, and all are counted', async () => {
  const { status, body } = await check(Array.from({ length: 200 }, () => 'x'));
  assert.equal(status, 422);
  assert.equal(body.errors.length, 20);
  assert.equal(body.error_count, 200);
  assert.deepEqual(body.errors[19].pointer, '/body/hashes/19');
});

test('a JSON body over the limit of its route is rejected', async () => {
  const { status, body } = await check([' '.repeat(65_536)]);
  assert.equal(status, 413);
  assert.equal(body.code, 'FILE_TOO_LARGE');
  const id = await client.ingest({ bytes: await image(11), fields: { auto_describe: 'false' } });
  assert.equal((await client.patch(`/files/${id}`, { user_description: ' '.repeat(140_000) })).status, 413);
});

test('an unsupported method is answered with the supported ones', async () => {
  const methods = async (method: string, path: string) => {
    const { status, headers, body }: Json = await client.request(method, path);
    assert.equal(status, 405, `${method} ${path}`);
    assert.equal(body.code, 'METHOD_NOT_ALLOWED');
    return headers.get('allow').split(', ').toSorted();
  };
  assert.deepEqual(await methods('PUT', `/files/${'0'.repeat(8)}`), [
    'DELETE',
    'GET',
    'HEAD',
    'OPTIONS',
    'PATCH',
  ]);
  assert.deepEqual(await methods('PROPFIND', '/files'), ['GET', 'HEAD', 'OPTIONS']);
  assert.deepEqual(await methods('POST', `${client.origin}/healthz`), ['GET', 'HEAD', 'OPTIONS']);
});

test('a fixed path does not have the methods of a path with a parameter', async () => {
  for (const [path, allowed] of [
    ['/files/upload', 'OPTIONS, POST'],
    ['/files/sessions', 'GET, HEAD, OPTIONS'],
    [`/files/${'0'.repeat(8)}`, 'DELETE, GET, HEAD, OPTIONS, PATCH'],
    ['/files/deletions/x', 'GET, HEAD, OPTIONS'],
  ] as const) {
    const { status, headers, body }: Json = await client.request('OPTIONS', path);
    assert.deepEqual([status, body], [204, '']);
    assert.equal(headers.get('allow').split(', ').toSorted().join(', '), allowed);
  }
  assert.equal((await client.request('DELETE', '/files/sessions')).status, 405);
  assert.equal((await client.request('OPTIONS', '/nothing')).status, 404);
});

test('a retry rejects unknown fields', async () => {
  const id = await client.ingest({ bytes: await image(12), fields: { auto_describe: 'false' } });
  await client.settled(id);
  const { status, body } = await client.post(`/files/${id}/retry`, { component: ['variant'] });
  assert.equal(status, 422);
  assert.equal(body.errors[0].pointer, '/body/component');
});
