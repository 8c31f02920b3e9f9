import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { FileShare } from '../../../db/entities/shares/file-share.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { createClient, sharedRun, type Json } from '../../support/api.ts';
import { images } from '../../support/images.ts';
import { logIn } from '../../support/login.ts';

/** Links to one file for people without an account. */
const run = sharedRun();
const orm = createOrm(readConfig([databaseConfig], process.env));
after(() => orm.close(true));
const fields = { auto_describe: 'false' };

/** Opens a link without any key. */
async function open(url: string): Promise<{ status: number; body: Json }> {
  const token = new URL(url).hash.slice(1);
  const answer = await fetch(new URL('/api/v2/shared-file', run.api_url), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  return { status: answer.status, body: (await answer.json()) as Json };
}

async function sharedImage() {
  const owner = await logIn(orm, run);
  const [image] = await images(1);
  assert.ok(image);
  const id = await owner.client.ingest({ ...image, fields });
  await owner.client.settled(id);
  const made = await owner.client.post(`/files/${id}/shares`, { expires_in_days: 2 });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return { owner, id, image, made: made.body };
}

test('a link shows one file to anybody until it is revoked', async () => {
  const { owner, id, image, made } = await sharedImage();
  const days = (Date.parse(made.expires_at) - Date.parse(made.created_at)) / 86_400_000;
  assert.ok(Math.abs(days - 2) < 0.01, made.expires_at);
  const { status, body } = await open(made.url);
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(
    [body.filename, body.media_type, body.expires_at],
    [image.filename, 'image', made.expires_at],
  );
  const original = await (await fetch(body.download_url)).arrayBuffer();
  assert.deepEqual(Buffer.from(original), Buffer.from(image.bytes));
  assert.equal((await fetch(body.picture_url)).status, 200);

  const [listed] = (await owner.client.get(`/files/${id}/shares`)).body.items;
  assert.deepEqual([listed.id, listed.opened_count, listed.created_by], [made.id, 1, owner.userId]);
  assert.equal(JSON.stringify(listed).includes(new URL(made.url).hash.slice(1)), false);
  const row = await orm.em.fork().findOneOrFail(FileShare, made.id);
  assert.match(row.tokenHash, /^[0-9a-f]{64}$/);

  const revoked = await owner.client.delete(`/files/${id}/shares/${made.id}`);
  assert.ok(revoked.body.revoked_at);
  const again = await owner.client.delete(`/files/${id}/shares/${made.id}`);
  assert.equal(again.body.revoked_at, revoked.body.revoked_at);
  assert.deepEqual((await owner.client.get(`/files/${id}/shares`)).body.items, []);
  const gone = await open(made.url);
  assert.deepEqual([gone.status, gone.body.detail], [404, 'shared file not found']);
  const { body: log } = await owner.client.get('/tenant/audit-logs?limit=10');
  const events = log.items.filter((entry: Json) => entry.resource_id === id);
  assert.deepEqual(
    events.map((entry: Json) => entry.event_type),
    ['file.share_revoked', 'file.shared'],
  );
});

test('a link that has expired, of a trashed file, of a disabled account or invented is the same: not found', async () => {
  const { owner, id, made } = await sharedImage();
  const em = orm.em.fork();
  const refused = async (why: string) => {
    const { status, body } = await open(made.url);
    assert.deepEqual([status, body.detail], [404, 'shared file not found'], why);
  };
  await owner.client.delete(`/files/${id}`);
  await refused('in the trash');
  await owner.client.post(`/files/${id}/restore`, {});
  assert.equal((await open(made.url)).status, 200);
  await em.execute('update tenants set is_active = false where id = ?', [owner.tenantId]);
  await refused('account disabled');
  await em.execute('update tenants set is_active = true where id = ?', [owner.tenantId]);
  await em.nativeUpdate(FileShare, { id: made.id }, { expiresAt: new Date(Date.now() - 1000) });
  await refused('expired');
  for (const token of ['', 'x', randomUUID(), "' or true; --"]) {
    assert.equal((await open(`http://localhost/shared#${encodeURIComponent(token)}`)).status, 404, token);
  }
});

test('links are made, listed and revoked within the own account, by those who may edit, and within limits', async () => {
  const { owner, id, made } = await sharedImage();
  const viewer = await logIn(orm, run, { tenantId: owner.tenantId, role: 'viewer' });
  assert.equal((await viewer.client.post(`/files/${id}/shares`, {})).status, 403);
  assert.equal((await viewer.client.delete(`/files/${id}/shares/${made.id}`)).status, 403);
  assert.equal((await viewer.client.get(`/files/${id}/shares`)).body.items.length, 1);
  const other = createClient(run);
  for (const answer of [
    await other.post(`/files/${id}/shares`, {}),
    await other.get(`/files/${id}/shares`),
    await other.delete(`/files/${id}/shares/${made.id}`),
    await owner.client.delete(`/files/${id}/shares/${randomUUID()}`),
    await owner.client.delete(`/files/${id}/shares/nonsense`),
  ]) {
    assert.equal(answer.status, 404);
  }
  for (const days of [0, 366, 1.5, 'soon']) {
    const { status, body } = await owner.client.post(`/files/${id}/shares`, { expires_in_days: days });
    assert.deepEqual([status, body.errors[0].pointer], [422, '/body/expires_in_days']);
  }
  await orm.em.fork().execute(
    `insert into file_shares (id, tenant_id, file_id, token_hash, created_at, expires_at)
     select gen_random_uuid(), tenant_id, file_id, md5(random()::text) || md5(random()::text), now(), expires_at
     from file_shares, generate_series(1, 49) where file_shares.id = ?`,
    [made.id],
  );
  const full = await owner.client.post(`/files/${id}/shares`, {});
  assert.deepEqual([full.status, full.body.code], [409, 'SHARE_LIMIT']);
});
