import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import type { Caller } from '../../../services/accounts/principal.ts';
import { registerMedia } from '../../../services/all-media.ts';
import { lockContent } from '../../../services/files/find-duplicate.ts';
import { applyRetention } from '../../../services/trash/apply-retention.ts';
import { claimPurgePage } from '../../../services/trash/claim-purge-page.ts';
import { holdFile } from '../../../services/trash/file-holds.ts';
import { createEngine } from '../../../temporal/client.ts';
import { temporalConfig } from '../../../temporal/config.ts';
import { eventually, sharedRun, type Json } from '../../support/api.ts';
import { images, uniqueImage } from '../../support/images.ts';
import { logIn } from '../../support/login.ts';
import { removeSeeded, seedDescriptions } from '../../support/seed-descriptions.ts';

/** Removing files for good before their time in the trash is over, by their retention, and what keeps them. */
const run = sharedRun();
const orm = createOrm(readConfig([databaseConfig], process.env));
registerMedia();
const engine = createEngine(readConfig([temporalConfig], process.env));
after(async () => {
  await engine.close();
  await orm.close(true);
});
const fields = { auto_describe: 'false' };
const DAY_MS = 86_400_000;
const MONTH_MS = 30 * DAY_MS;

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

/**
 * Whether the next purge takes the file. Files rest in the trash for an hour before.
 *
 * @param within whether it was deleted less than a month ago, otherwise its own time counts
 */
async function isDue(id: string, within = true): Promise<boolean> {
  const em = orm.em.fork();
  await em.execute(
    `update files set deleted_at = least(deleted_at, now() - interval '61 minutes') where id = ?`,
    [id],
  );
  for (let after; ;) {
    const page = await claimPurgePage(em, {
      ...(within && { before: new Date(Date.now() - MONTH_MS) }),
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

test('a file is restored without a part that is being removed for good', async () => {
  const { client } = await logIn(orm, run);
  const ids: string[] = [];
  for (let each = 0; each < 3; each += 1)
    ids.push(await client.ingest({ bytes: await uniqueImage(), fields }));
  const [mail = '', gone = '', part = ''] = ids;
  await orm.em.fork().execute('update files set parent_file_id = ? where id in (?, ?)', [mail, gone, part]);
  assert.equal((await client.delete(`/files/${mail}`)).status, 200);
  assert.equal((await client.delete(`/files/${gone}?permanent=true`)).status, 200);
  assert.equal((await client.post(`/files/${mail}/restore`, {})).body.restored, true);
  const statuses = [];
  for (const id of ids) statuses.push((await client.get(`/files/${id}`)).status);
  assert.deepEqual(statuses, [200, 404, 200]);
});

test('the trash is emptied, and only its own', async () => {
  const { owner, first, second, live } = await withTrash();
  const other = await withTrash();
  const viewer = await logIn(orm, run, { tenantId: owner.tenantId, role: 'editor' });
  assert.equal((await viewer.client.post('/files/trash/empty', {})).status, 403);
  let erased = 0;
  // The end of the work on a file that has just been deleted may be recorded meanwhile.
  const emptied = (files: number, more: boolean) =>
    eventually(async () => {
      const { status, body } = await owner.client.post('/files/trash/empty', {});
      erased += body.erased_files;
      assert.deepEqual([status, erased, body.has_more], [200, files, more]);
    });
  await orm.em.fork().transactional(async (tx) => {
    await tx.execute('select from files where id = ? for update', [first]);
    await emptied(1, true);
  });
  await emptied(2, false);
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
    [{ files: 1 }, { files: 1 }],
  );
});

const refusal = ({ status, body }: { status: number; body: Json }) => [status, body.code];
const retain = () => applyRetention({ em: orm.em.fork(), engine }, Date.now() + 60_000);
const setAge = (id: string, days: number) =>
  orm.em
    .fork()
    .execute('update files set created_at = now() - make_interval(days => ?) where id = ?', [days, id]);

test('an e-mail in the trash that is just held, or restored, keeps its attachment although the trash is emptied', async () => {
  const { owner, first, second } = await withTrash();
  const { client, tenantId } = owner;
  const em = () => orm.em.fork();
  // Whoever locks in the order of ids comes to the attachment first.
  const [part, mail] = [first, second].toSorted();
  await em().execute(
    `update files set parent_file_id = case id when ? then ?::uuid end, deleted_at = date_trunc('second', now()) - interval '2 hours'
     where id in (?, ?)`,
    [part, mail, part, mail],
  );
  const waits = async (what: string) =>
    (
      await em().execute(`select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like ?`, [
        `%${what}%`,
      ])
    ).length > 0;
  /** Empties the trash while a transaction is open. */
  const emptying = async () => {
    let isDone = false;
    const answer = client.post('/files/trash/empty', {}).finally(() => (isDone = true));
    await eventually(async () =>
      assert.ok(isDone || (await waits(`pg_advisory_xact_lock(hashtextextended('${tenantId}`))),
    );
    return { answer };
  };
  const caller: Caller = {
    tenantId,
    credential: { kind: 'session', userId: owner.userId, sessionId: randomUUID() },
    ipAddress: '127.0.0.1',
  };
  const setEnd = (hours: number) =>
    em().execute('update files set purge_at = now() + make_interval(hours => ?) where id in (?, ?)', [
      hours,
      part,
      mail,
    ]);
  for (const [held = '', other = ''] of [
    [mail, part],
    [part, mail],
  ]) {
    await setEnd(-1);
    const { answer } = await em().transactional(async (tx) => {
      await holdFile(tx, caller, held, 'Case 7');
      assert.equal(await isDue(other, false), false, 'a purge takes nothing of the family');
      return emptying();
    });
    await setEnd(100);
    assert.deepEqual((await answer).body, { erased_files: 0, has_more: false });
    assert.equal((await client.delete(`/files/${held}/hold`)).status, 200);
  }
  const { sha256 } = await em().findOneOrFail(StoredFile, part ?? '');
  const begun = await em().transactional(async (tx) => {
    await lockContent(tx, tenantId, sha256);
    const restored = client.post(`/files/${mail}/restore`, {});
    await eventually(async () => assert.ok(await waits(`${tenantId}/${sha256}`)));
    return { restored, emptied: (await emptying()).answer };
  });
  const [restored, emptied] = await Promise.all([begun.restored, begun.emptied]);
  assert.deepEqual([restored.status, restored.body.restored], [200, true], JSON.stringify(restored.body));
  assert.deepEqual(emptied.body, { erased_files: 0, has_more: false });
  assert.equal((await client.get(`/files/${part}`)).status, 200);
});

test('nothing deletes a held file, nor what came with it, until an admin releases it', async () => {
  const { owner, first, second, live } = await withTrash();
  const { client, tenantId } = owner;
  const editor = await logIn(orm, run, { tenantId, role: 'editor' });
  const hold = (id: string, reason: unknown) => client.post(`/files/${id}/hold`, { reason });
  const { body: folder } = await client.post('/folders', { name: 'Case' });
  await client.patch(`/files/${live}`, { folder_id: folder.id });
  const attachment = await client.ingest({ bytes: await uniqueImage(), fields });
  await orm.em.fork().execute('update files set parent_file_id = ? where id = ?', [live, attachment]);
  await client.patch('/tenant/settings', { retention_days: 1 });
  for (const id of [live, attachment]) await setAge(id, 100);

  assert.deepEqual(refusal(await editor.client.post(`/files/${live}/hold`, { reason: 'x' })), [
    403,
    'FORBIDDEN',
  ]);
  for (const reason of ['', 'x'.repeat(501), null]) assert.equal((await hold(live, reason)).status, 422);
  assert.equal((await hold(randomUUID(), 'x')).status, 404);
  const { status, body: held } = await hold(live, 'Case 7');
  assert.equal(status, 200, JSON.stringify(held));
  assert.deepEqual([held.hold.reason, held.hold.file_id, held.trash_at], ['Case 7', live, null]);
  assert.match(held.explanation, /is held since .*: Case 7/);

  for (const id of [live, attachment]) {
    assert.deepEqual(refusal(await client.delete(`/files/${id}`)), [409, 'FILE_HELD']);
    assert.deepEqual(refusal(await client.delete(`/files/${id}?permanent=true`)), [409, 'FILE_HELD']);
    const { body } = await client.post('/files/batch-delete', { file_ids: [id] });
    assert.equal(body.summary.failed, 1);
    assert.equal((await client.get(`/files/${id}/retention`)).body.hold.file_id, live);
  }
  assert.deepEqual(refusal(await client.delete(`/folders/${folder.id}?recursive=true`)), [409, 'FILE_HELD']);
  assert.equal((await client.get(`/folders/${folder.id}`)).status, 200);
  await retain();
  for (const id of [live, attachment]) assert.equal((await client.get(`/files/${id}`)).status, 200);
  const { body: list } = await client.get('/files?held=true');
  assert.deepEqual(
    list.items.map(({ id }: Json) => id),
    [live],
  );

  // One in the trash stays there, and can be restored even after its time.
  await hold(first, 'Case 8');
  assert.equal((await hold(first, 'Case 9')).body.hold.reason, 'Case 9');
  assert.deepEqual(refusal(await client.delete(`/files/${first}?permanent=true`)), [409, 'FILE_HELD']);
  await orm.em
    .fork()
    .execute(`update files set purge_at = now() - interval '1 day' where id in (?, ?)`, [first, second]);
  assert.deepEqual([await isDue(first, false), await isDue(second, false)], [false, true]);
  assert.deepEqual((await client.post('/files/trash/empty', {})).body.erased_files, 0);
  assert.equal((await hold(second, 'too late')).status, 404);
  assert.equal((await client.post(`/files/${first}/restore`, {})).body.restored, true);

  const release = (id: string) => client.delete(`/files/${id}/hold`);
  assert.equal((await release(attachment)).body.hold.file_id, live, 'it is held with its parent');
  assert.deepEqual([(await release(live)).body.hold, (await release(live)).status], [null, 200]);
  assert.equal((await client.delete(`/folders/${folder.id}?recursive=true`)).status, 200);
  assert.deepEqual((await client.delete(`/files/${live}?permanent=true`)).status, 200);
  assert.deepEqual([await isDue(live), await isDue(attachment)], [true, true], 'parts go with it');
  const log = async (type: string) => (await client.get(`/tenant/audit-logs?event_type=${type}`)).body.items;
  assert.deepEqual(
    (await log('file.held')).map(({ metadata, user_id: by }: Json) => [metadata.reason, by]),
    ['Case 9', 'Case 8', 'Case 7'].map((reason) => [reason, owner.userId]),
  );
  assert.deepEqual(
    (await log('file.released')).map(({ resource_id: id }: Json) => id),
    [live],
  );
});

test('files move to the trash when their retention is over, as the nearest folder or the account says', async () => {
  const { client, tenantId } = await logIn(orm, run);
  const editor = await logIn(orm, run, { tenantId, role: 'editor' });
  const make = async (name: string, parent_id: string | null = null) =>
    (await client.post('/folders', { name, parent_id })).body.id as string;
  const kept = await make('Kept');
  const short = await make('Short', kept);
  const below = await make('Below', short);
  const set = (id: string, body: Json) => client.patch(`/folders/${id}`, body);
  assert.deepEqual(refusal(await editor.client.patch(`/folders/${kept}`, { trash_days: 1 })), [
    403,
    'FORBIDDEN',
  ]);
  for (const body of [
    { retention_days: -1 },
    { retention_days: 36_501 },
    { trash_days: 0 },
    { trash_days: 3651 },
  ])
    assert.equal((await set(kept, body)).status, 422, JSON.stringify(body));
  assert.equal((await client.patch('/tenant/settings', { retention_days: 0 })).status, 422);
  const { body: settings } = await client.patch('/tenant/settings', { retention_days: 10, trash_days: 5 });
  assert.deepEqual([settings.retention_days, settings.trash_days], [10, 5]);
  await set(kept, { retention_days: 0 });
  const { body: changed } = await set(short, { name: 'Shorter', retention_days: 2, trash_days: 40 });
  assert.deepEqual([changed.name, changed.retention_days, changed.trash_days], ['Shorter', 2, 40]);

  const at = async (folder_id: string | null, days: number) => {
    const id = await client.ingest({
      bytes: await uniqueImage(),
      fields: { ...fields, ...(folder_id && { folder_id }) },
    });
    await setAge(id, days);
    return id;
  };
  const [root, young, forever, old, nested] = [
    await at(null, 11),
    await at(null, 9),
    await at(kept, 5000),
    await at(short, 3),
    await at(below, 3),
  ];
  const { body: due } = await client.get(`/files/${old}/retention`);
  assert.deepEqual([due.retention_days, due.retention_source], [2, 'folder']);
  assert.equal(Date.parse(due.purge_at) - Date.parse(due.trash_at), 40 * DAY_MS);
  assert.match(due.explanation, /2 days after it was added, as its folder says/);
  const { body: stays } = await client.get(`/files/${forever}/retention`);
  assert.deepEqual([stays.retention_days, stays.trash_at, stays.purge_at], [null, null, null]);
  assert.match(stays.explanation, /kept, as its folder says/);

  // More than a page of another account.
  const busy = await logIn(orm, run);
  await seedDescriptions(orm, busy.tenantId, 120);
  await orm.em
    .fork()
    .execute(`update files set created_at = created_at - interval '5 days' where tenant_id = ?`, [
      busy.tenantId,
    ]);
  await busy.client.patch('/tenant/settings', { retention_days: 1 });
  const late = await applyRetention({ em: orm.em.fork(), engine }, Date.now());
  assert.deepEqual(late, { moved: 0, more: true });
  await retain();
  const trash = await trashOf(client);
  assert.deepEqual(new Set(trash.items.map(({ id }: Json) => id)), new Set([root, old, nested]));
  for (const id of [young, forever]) assert.equal((await client.get(`/files/${id}`)).status, 200);
  assert.equal((await trashOf(busy.client)).total_count, 120);
  await removeSeeded(orm, busy.tenantId);

  const { body: gone } = await client.get(`/files/${old}/retention`);
  assert.ok(Math.abs(Date.parse(gone.purge_at) - Date.now() - 40 * DAY_MS) < DAY_MS / 24, gone.purge_at);
  assert.match(gone.explanation, /removed for good on/);
  assert.equal((await client.post(`/files/${root}/restore`, {})).body.restored, true);
  await retain();
  const { body: anew } = await client.get(`/files/${root}/retention`);
  assert.match(anew.explanation, /10 days after it was restored, as the account says/);
  await setTrash(old, 29);
  await setTrash(nested, 41);
  assert.deepEqual([await isDue(old, false), await isDue(nested, false)], [false, true]);
  const { items } = (await client.get('/tenant/audit-logs?event_type=retention.applied')).body;
  assert.equal(
    items.reduce((sum: number, { metadata }: Json) => sum + metadata.files, 0),
    3,
  );
  const { items: changes } = (await client.get('/tenant/audit-logs?event_type=folder.retention_changed'))
    .body;
  assert.equal(changes.length, 2);
});

/** As if it had been moved to the trash some days ago. */
const setTrash = (id: string, days: number) =>
  orm.em.fork().execute(
    `update files set purge_at = purge_at - make_interval(days => ?), deleted_at = deleted_at - make_interval(days => ?)
     where id = ?`,
    [days, days, id],
  );
