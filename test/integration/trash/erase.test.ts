import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { claimPurgePage } from '../../../services/trash/claim-purge-page.ts';
import { sharedRun, type Json } from '../../support/api.ts';
import { images } from '../../support/images.ts';
import { logIn } from '../../support/login.ts';

/** Removing files for good before their time in the trash is over. */
const run = sharedRun();
const orm = createOrm(readConfig([databaseConfig], process.env));
after(() => orm.close(true));
const fields = { auto_describe: 'false' };
const MONTH_MS = 30 * 86_400_000;

/** An account with files, of which the first two are in the trash. */
async function withTrash() {
  const owner = await logIn(orm, run);
  const ids: string[] = [];
  for (const image of await images(3)) ids.push(await owner.client.ingest({ ...image, fields }));
  const [first = '', second = '', live = ''] = ids;
  for (const id of [first, second]) assert.equal((await owner.client.delete(`/files/${id}`)).status, 200);
  return { owner, first, second, live };
}

const trashOf = async (client: { get(path: string): Promise<{ body: Json }> }) =>
  (await client.get('/files?deleted=true')).body;

/** Whether the next purge takes the file. Files rest in the trash for an hour before. */
async function isDue(id: string): Promise<boolean> {
  const em = orm.em.fork();
  await em.execute(`update files set deleted_at = now() - interval '61 minutes' where id = ?`, [id]);
  for (let after; ;) {
    const page = await claimPurgePage(em, {
      before: new Date(Date.now() - MONTH_MS),
      ...(after && { after }),
    });
    if (page.files.some(({ fileId }) => fileId === id)) return true;
    if (!page.after) return false;
    ({ after } = page);
  }
}

test('an admin removes a file for good, whether or not it is in the trash; it is in no list and cannot come back', async () => {
  const { owner, first, second, live } = await withTrash();
  const { client, tenantId } = owner;
  const editor = await logIn(orm, run, { tenantId, role: 'editor' });
  const refused = await editor.client.delete(`/files/${first}?permanent=true`);
  assert.deepEqual([refused.status, refused.body.code], [403, 'FORBIDDEN']);
  assert.equal(await isDue(first), false);

  for (const id of [first, live, first]) {
    const { status, body } = await client.delete(`/files/${id}?permanent=true`);
    assert.equal(status, 200, JSON.stringify(body));
    assert.match(body.message, /removed for good/);
  }
  const trash = await trashOf(client);
  assert.deepEqual([trash.items.map(({ id }: Json) => id), trash.total_count], [[second], 1]);
  assert.equal((await client.post(`/files/${first}/restore`, {})).status, 404);
  assert.equal((await client.get(`/files/${live}`)).status, 404);
  assert.equal(await isDue(first), true);
  const { items } = (await client.get('/tenant/audit-logs?event_type=file.erased')).body;
  assert.deepEqual(new Set(items.map((entry: Json) => entry.resource_id)), new Set([first, live]));
});

test('the trash is emptied, and only its own', async () => {
  const { owner, first, second, live } = await withTrash();
  const other = await withTrash();
  const viewer = await logIn(orm, run, { tenantId: owner.tenantId, role: 'editor' });
  assert.equal((await viewer.client.post('/files/trash/empty', {})).status, 403);
  const { status, body } = await owner.client.post('/files/trash/empty', {});
  assert.deepEqual([status, body], [200, { erased_files: 2, has_more: false }]);
  assert.deepEqual((await owner.client.post('/files/trash/empty', {})).body, {
    erased_files: 0,
    has_more: false,
  });
  assert.equal((await trashOf(owner.client)).total_count, 0);
  assert.equal((await owner.client.get(`/files/${live}`)).status, 200);
  assert.equal((await trashOf(other.owner.client)).total_count, 2);
  assert.deepEqual([await isDue(first), await isDue(second), await isDue(other.first)], [true, true, false]);
  const { items } = (await owner.client.get('/tenant/audit-logs?event_type=trash.emptied')).body;
  assert.deepEqual(
    items.map((entry: Json) => entry.metadata),
    [{ files: 2 }],
  );
});
