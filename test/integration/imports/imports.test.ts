import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { FileImport } from '../../../db/entities/imports/import.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { registerMedia } from '../../../services/all-media.ts';
import { removeFileRows } from '../../../services/trash/remove-files.ts';
import { createClient, eventually, sharedRun, type Client, type Json } from '../../support/api.ts';
import { startFaultyBucket, type FaultyBucket } from '../../support/faulty-bucket.ts';
import { images, uniqueImage } from '../../support/images.ts';
import { logIn, type LoggedIn } from '../../support/login.ts';
import { startTenantStore, type OwnBucket, type TenantStore } from '../../support/tenant-store.ts';
import { pages, startWebSite } from '../../support/web-site.ts';
import { startWebhookReceiver } from '../../support/webhook-receiver.ts';

const run = sharedRun();
registerMedia();
const orm = createOrm(readConfig([databaseConfig], process.env));
let store: TenantStore;
let faulty: FaultyBucket;
before(async () => {
  [store, faulty] = await Promise.all([startTenantStore(), startFaultyBucket()]);
});
after(async () => {
  await Promise.all([store.stop(), faulty.close()]);
  await orm.close(true);
});

const bucketName = () => `imports-${Math.random().toString(36).slice(2, 10)}`;

async function connected(login: LoggedIn, bucket: Partial<OwnBucket>): Promise<string> {
  const { status: code, body } = await login.client.post('/connections', { provider: 's3', ...bucket });
  assert.equal(code, 201, JSON.stringify(body));
  return body.id;
}

async function begun(client: Client, more: Json): Promise<string> {
  const { status: code, body } = await client.post('/imports', { auto_describe: false, ...more });
  assert.equal(code, 202, JSON.stringify(body));
  return body.id;
}

/** The import once it has a status. */
const reached = (client: Client, id: string, wanted: string, seconds = 60): Promise<Json> =>
  eventually(async () => {
    const { body } = await client.get(`/imports/${id}`);
    assert.equal(body.status, wanted, JSON.stringify(body));
    return body;
  }, seconds);

const itemsOf = async (client: Client, id: string, query = ''): Promise<Json[]> =>
  (await client.get(`/imports/${id}/items?limit=500${query}`)).body.items;

/** A tenant with a bucket in the store that has these objects. */
async function withObjects(objects: Record<string, Buffer>) {
  const login = await logIn(orm, run);
  const bucket = await store.createBucket(bucketName());
  for (const [key, bytes] of Object.entries(objects))
    await store.admin.putObject(bucket.bucket_name, key, bytes);
  return { login, bucket, source: { type: 'bucket', connection_id: await connected(login, bucket) } };
}

/** A tenant with a connection to the bucket that misbehaves, below a prefix of its own. */
async function withFaults(objects: Record<string, Json>) {
  const login = await logIn(orm, run);
  const prefix = `${bucketName()}/`;
  for (const [key, object] of Object.entries(objects)) faulty.objects.set(`${prefix}${key}`, object);
  const address = { bucket_name: 'faulty', region: 'us-east-1', endpoint: faulty.endpoint };
  const source = { type: 'bucket', connection_id: await connected(login, address), prefix };
  return { login, source, prefix };
}

/** A folder on the server that its operator allows. */
function folderOfServer(files: Record<string, Buffer | string>): string {
  const folder = join(dirname(process.env['DARKROOM_RUN'] ?? ''), 'import', bucketName());
  for (const [key, bytes] of Object.entries(files)) {
    mkdirSync(join(folder, key, '..'), { recursive: true });
    writeFileSync(join(folder, key), bytes);
  }
  return folder;
}

describe('the files of a folder of the server', () => {
  test('are imported for an admin who has logged in, from allowed folders alone', async () => {
    const login = await logIn(orm, run);
    const image = await uniqueImage();
    const path = folderOfServer({
      'a.txt': 'Minutes of a meeting about the harbour.',
      'sub/b.jpg': image,
    });
    utimesSync(join(path, 'sub/b.jpg'), 1_000_000, 1_000_000);
    symlinkSync('/etc/passwd', join(path, 'link.txt'));
    const ask = (client: Client, of: string) =>
      client.post('/imports', { source: { type: 'folder', path: of } });
    assert.equal((await ask(createClient(run), path)).body.code, 'LOGIN_SESSION_REQUIRED');
    for (const outside of ['/etc', `${path}/../../..`, join(path, '..', '..')])
      assert.deepEqual((await ask(login.client, outside)).body.code, 'VALIDATION_FAILED', outside);
    assert.equal((await ask(login.client, 'relative')).body.code, 'VALIDATION_FAILED');

    const id = await begun(login.client, {
      source: { type: 'folder', path },
      repeat_every_hours: 1,
      when_gone: 'trash',
    });
    const ended = await reached(login.client, id, 'completed');
    assert.deepEqual([ended.found, ended.imported, ended.reasons], [3, 2, { SOURCE_NOT_A_FILE: 1 }]);
    assert.deepEqual(ended.source, { type: 'folder', path });
    const [item] = await itemsOf(login.client, id, '&status=imported');
    assert.match(item?.etag, /^\d+-\d+$/);

    writeFileSync(join(path, 'a.txt'), 'Minutes of another meeting, also about the harbour.');
    rmSync(join(path, 'sub'), { recursive: true });
    await login.client.post(`/imports/${id}/resume`, {});
    await eventually(async () => assert.equal((await login.client.get(`/imports/${id}`)).body.pass, 2));
    const again = await reached(login.client, id, 'completed');
    assert.deepEqual([again.imported, again.gone], [3, 2]);

    // Where a folder could not be read, nothing is taken for gone, and what is back comes back.
    rmSync(join(path, 'a.txt'));
    mkdirSync(join(path, ...Array.from({ length: 70 }, () => 'deep')), { recursive: true });
    writeFileSync(join(path, 'c.txt'), 'A letter about the berths of the harbour.');
    mkdirSync(join(path, 'sub'));
    writeFileSync(join(path, 'sub/b.jpg'), image);
    utimesSync(join(path, 'sub/b.jpg'), 1_000_000, 1_000_000);
    await login.client.post(`/imports/${id}/resume`, {});
    await eventually(async () => assert.equal((await login.client.get(`/imports/${id}`)).body.pass, 3));
    const partial = await reached(login.client, id, 'completed');
    assert.deepEqual([partial.imported, partial.gone, partial.partial], [4, 1, true]);
    assert.deepEqual([again.partial, partial.reasons], [false, { SOURCE_NOT_A_FILE: 2 }]);

    const missing = await begun(login.client, { source: { type: 'folder', path: join(path, 'missing') } });
    assert.equal((await reached(login.client, missing, 'failed')).reason.code, 'SOURCE_GONE');
  });

  test('are waited for while their disk is away', async () => {
    const { client } = await logIn(orm, run);
    const names = Array.from({ length: 8 }, (_, i) => `${i}.txt`);
    const path = folderOfServer(Object.fromEntries(names.map((name) => [name, `The log of ship ${name}.`])));
    // So slow that most are still to come when the first is there.
    const source = { type: 'folder', path };
    const id = await begun(client, { source, concurrency: 1, max_files_per_minute: 20 });
    await eventually(async () => assert.ok((await client.get(`/imports/${id}`)).body.imported > 0), 60);
    renameSync(path, `${path}-away`);
    const paused = await reached(client, id, 'paused');
    assert.deepEqual([paused.reason.code, paused.failed], ['SOURCE_GONE', 0]);
    // The place where it was mounted.
    mkdirSync(path);
    await client.post(`/imports/${id}/resume`, {});
    await eventually(async () => {
      const { body } = await client.get(`/imports/${id}`);
      assert.match(body.reason?.message ?? '', /empty/);
    }, 60);
    rmSync(path, { recursive: true });
    renameSync(`${path}-away`, path);
    await orm.em.fork().nativeUpdate(FileImport, { id }, { maxPerMinute: null });
    await client.post(`/imports/${id}/resume`, {});
    const ended = await reached(client, id, 'completed');
    assert.deepEqual([ended.imported, ended.failed], [names.length, 0]);
  });
});

describe('the objects of a bucket', () => {
  test('become files with the options of the import, each once, and other kinds are skipped', async () => {
    const [first, second, other] = await images(3);
    assert.ok(first && second && other);
    const { login, source, bucket } = await withObjects({
      'photos/one.jpg': first.bytes,
      'photos/2024': second.bytes,
      'photos/a+b c/ü.jpg': await uniqueImage(),
      'photos/copy.jpg': first.bytes,
      'photos/program.bin': Buffer.from('MZ and no image at all, but a program of some kind'),
      'photos/empty.jpg': Buffer.alloc(0),
      'elsewhere/x.jpg': other.bytes,
    });
    const { client } = login;
    const { body: folder } = await client.post('/folders', { name: 'Imported' });
    const wanted = { source: { ...source, prefix: 'photos/' }, skip_duplicates: true, concurrency: 1 };
    const id = await begun(client, { ...wanted, tags: ['from-afar'], folder_id: folder.id });
    const ended = await reached(client, id, 'completed');
    const { found, imported, skipped, failed, listed } = ended;
    assert.deepEqual(
      { found, imported, skipped, failed, listed },
      {
        found: 6,
        imported: 3,
        skipped: 3,
        failed: 0,
        listed: true,
      },
      JSON.stringify(await itemsOf(client, id)),
    );
    assert.deepEqual(ended.reasons, { DUPLICATE: 1, EMPTY_FILE: 1, UNSUPPORTED_MEDIA: 1 });

    const items = await itemsOf(client, id, '&status=imported');
    assert.equal(items.length, 3);
    for (const { key, file_id: fileId } of items) {
      const file = await client.settled(fileId);
      assert.deepEqual(
        [file.filename, file.tags, file.folder_id],
        [key.split('/').at(-1), ['from-afar'], folder.id],
      );
      const { bytes } = await client.follow(`/files/${fileId}/download`);
      const stored = (await store.admin.getObject(bucket.bucket_name, key)).toArray();
      const digest = (parts: Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest('hex');
      assert.equal(digest([bytes]), digest(await stored));
    }
    const bytes = items.reduce((sum: number, item: Json) => sum + item.size_bytes, 0);
    assert.equal(ended.bytes, bytes);
  });

  test('are listed by cursor, and only to their account', async () => {
    const files = Object.fromEntries(
      await Promise.all(
        Array.from({ length: 5 }, async (_, i) => [`${i}.jpg`, await uniqueImage()] as const),
      ),
    );
    const { login, source } = await withObjects(files);
    const id = await begun(login.client, { source });
    await reached(login.client, id, 'completed');
    const seen: string[] = [];
    for (let cursor = ''; ;) {
      const { body } = await login.client.get(`/imports/${id}/items?limit=2${cursor}`);
      seen.push(...body.items.map((item: Json) => item.key));
      if (!body.next_cursor) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    assert.deepEqual(seen.toSorted(), Object.keys(files));
    assert.equal((await login.client.get('/imports')).body.total_count, 1);

    const stranger = await logIn(orm, run);
    for (const path of ['', '/items']) {
      assert.equal((await stranger.client.get(`/imports/${id}${path}`)).status, 404);
    }
    for (const action of ['pause', 'resume', 'cancel', 'retry-failed']) {
      assert.equal((await stranger.client.post(`/imports/${id}/${action}`, {})).status, 404);
    }
    assert.equal((await stranger.client.post('/imports', { source })).status, 404);
  });

  test('are imported from the bucket of the account, into it', async () => {
    const login = await logIn(orm, run);
    const bucket = await store.createBucket(bucketName());
    assert.equal((await login.client.post('/tenant/storage-config', bucket)).status, 201);
    await store.admin.putObject(bucket.bucket_name, 'mine/a.jpg', await uniqueImage());
    const source = { type: 'own_bucket' };
    const id = await begun(login.client, { source, storage_target: 'custom' });
    assert.equal((await reached(login.client, id, 'completed')).imported, 1);
    const [item] = await itemsOf(login.client, id);
    assert.equal((await login.client.settled(item.file_id)).primary_status, 'completed');
    assert.ok((await store.keysIn(bucket)).some((key) => key.includes(item.file_id)));
    // Neither the original nor its variants are files to be imported.
    const again = await begun(login.client, { source, storage_target: 'custom' });
    assert.equal((await reached(login.client, again, 'completed')).found, 1);
  });
});

describe('a manifest', () => {
  test('gives its files titles, tags and folders of their own, and lines that are not valid are skipped', async (t) => {
    const site = await startWebSite('127.0.0.1');
    t.after(() => site.stop());
    const { client } = await logIn(orm, run);
    const { body: folder } = await client.post('/folders', { name: 'Own' });
    const foreign = '3f6c0000-0000-4000-8000-000000000000';
    site.serve('/a.jpg', pages.of(await uniqueImage()));
    site.serve('/b.jpg', pages.of(await uniqueImage()));
    site.serve('/c.jpg', pages.of(await uniqueImage()));
    site.serve('/none.jpg', pages.error(404));
    const lines = [
      { url: site.url('/a.jpg'), title: 'Ä', tags: ['own'], folder_id: folder.id, content_category: 'map' },
      { url: site.url('/b.jpg') },
      { url: site.url('/c.jpg'), folder_id: foreign },
      { url: site.url('/none.jpg') },
      { url: 'http://169.254.169.254/x.jpg' },
      { url: 'file:///etc/passwd' },
      { title: 'no URL' },
    ].map((line) => JSON.stringify(line));
    // Many lines, so that they are read in several parts.
    const many = Array.from({ length: 3000 }, (_, i) => `nonsense ${i} ${'x'.repeat(60)}`);
    site.serve('/list.jsonl', pages.of(Buffer.from([...lines, '', ...many].join('\n'))));
    const id = await begun(client, {
      source: { type: 'manifest', url: site.url('/list.jsonl') },
      tags: ['all'],
    });
    const ended = await reached(client, id, 'completed');
    assert.deepEqual([ended.found, ended.imported, ended.skipped, ended.failed], [3008, 2, 3003, 3]);
    assert.deepEqual(ended.reasons, {
      ROW_INVALID: 3003,
      NOT_FOUND: 1,
      URL_ANSWERED_ERROR: 1,
      URL_ADDRESS_REFUSED: 1,
    });
    const imported = await itemsOf(client, id, '&status=imported');
    const files = await Promise.all(imported.map((item: Json) => client.settled(item.file_id)));
    const facts = files.map(({ title, tags, folder_id: place }) => [title, tags, place]);
    assert.deepEqual(facts.toSorted(), [
      ['b.jpg', ['all'], null],
      ['Ä', ['own'], folder.id],
    ]);

    // A table with columns of its own, and a cell that goes on in the next line.
    const table = [
      '\uFEFFurl;title;tags;key',
      `${site.url('/a.jpg')};"A; and ""more""";"one, two";7`,
      `${site.url('/b.jpg')};"open`,
      'end";;',
      `${site.url('/c.jpg')};;;`,
    ];
    site.serve('/list.csv', pages.of(Buffer.from(table.join('\r\n'))));
    const csv = await begun(client, { source: { type: 'manifest', url: site.url('/list.csv') } });
    const read = await reached(client, csv, 'completed');
    assert.deepEqual([read.found, read.imported, read.reasons], [4, 2, { ROW_INVALID: 2 }]);
    const invalid = await itemsOf(client, csv, '&status=skipped');
    assert.deepEqual(invalid.map(({ key }) => key).toSorted(), ['line 3', 'line 4']);
    const [first] = (await itemsOf(client, csv)).filter(({ key }) => key.endsWith('/a.jpg'));
    const { title, tags } = await client.settled(first?.file_id);
    assert.deepEqual([title, tags], ['A; and "more"', ['one', 'two']]);

    const inside = { source: { type: 'manifest', url: 'http://10.0.0.1/list' } };
    assert.equal((await client.post('/imports', inside)).status, 422);
    site.serve('/endless', pages.of(Buffer.alloc(200_000, 'x')));
    const bad = await begun(client, { source: { type: 'manifest', url: site.url('/endless') } });
    assert.equal((await reached(client, bad, 'failed')).reason.code, 'MANIFEST_INVALID');
  });
});

test('a manifest of keys takes them from the bucket of its connection, each with a schema of its own', async (t) => {
  const site = await startWebSite('127.0.0.1');
  t.after(() => site.stop());
  const { login, source } = await withObjects({
    'a/1.jpg': await uniqueImage(),
    'a/2.jpg': await uniqueImage(),
  });
  const { client } = login;
  const fields = { type: 'object', properties: { colour: { type: 'string' } } };
  const schema = await client.post('/extraction-schemas', {
    name: 'Colours',
    schema: fields,
    status: 'live',
  });
  assert.equal(schema.status, 201, JSON.stringify(schema.body));
  const rows = ['a/1.jpg', 'a/2.jpg', 'a/none.jpg'].map((key) => ({ key }));
  Object.assign(rows[0] ?? {}, { custom_schema_id: schema.body.id });
  Object.assign(rows[1] ?? {}, { custom_schema_id: '3f6c0000-0000-4000-8000-000000000000' });
  site.serve('/keys', pages.of(Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n'))));
  const manifest = { type: 'manifest', url: site.url('/keys'), connection_id: source.connection_id };
  const id = await begun(client, { source: manifest });
  const ended = await reached(client, id, 'completed');
  assert.deepEqual(ended.source, manifest);
  assert.deepEqual([ended.imported, ended.reasons], [1, { CUSTOM_SCHEMA_NOT_FOUND: 1, SOURCE_GONE: 1 }]);
  const [imported] = await itemsOf(client, id, '&status=imported');
  const file = await client.settled(imported?.file_id);
  assert.equal(file.filename, '1.jpg');
  assert.notEqual(file.extraction_status, 'skipped');
  const foreign = await logIn(orm, run);
  assert.equal((await foreign.client.post('/imports', { source: manifest })).status, 404);
});

describe('a source that misbehaves', () => {
  test('fails the objects that it denies, changes, drops or lies about, and a retry imports them', async () => {
    const bytes = await uniqueImage();
    const { login, source, prefix } = await withFaults({
      'good.jpg': { bytes: await uniqueImage() },
      'denied.jpg': { bytes: await uniqueImage(), fault: 'denied' },
      'hangs.jpg': { bytes: await uniqueImage(), fault: 'hangs' },
      'gone.jpg': { bytes: await uniqueImage(), fault: 'gone' },
      'short.jpg': { bytes: await uniqueImage(), listedSize: 10 },
      'long.jpg': { bytes: await uniqueImage(), listedSize: 10_000_000 },
      'endless.jpg': { bytes: await uniqueImage(), fault: 'endless' },
      'breaks.jpg': { bytes: await uniqueImage(), fault: 'breaks off' },
      'back.jpg': { bytes: await uniqueImage(), fault: 'comes back' },
      'changed.jpg': { bytes, listedEtag: 'another' },
      'a/../good.jpg': { bytes },
    });
    const id = await begun(login.client, { source });
    const ended = await reached(login.client, id, 'completed');
    assert.deepEqual([ended.imported, ended.failed], [2, 8]);
    assert.deepEqual(ended.reasons, {
      SOURCE_DENIED: 1,
      SOURCE_GONE: 1,
      SOURCE_CHANGED: 1,
      SOURCE_KEY_INVALID: 1,
      SOURCE_UNAVAILABLE: 2,
      SIZE_MISMATCH: 3,
    });
    assert.equal(ended.recent_errors.length, 8);
    assert.equal((await login.client.get('/files')).body.total_count, 2);

    for (const name of ['denied', 'hangs', 'gone', 'endless', 'breaks']) {
      const object = faulty.objects.get(`${prefix}${name}.jpg`);
      assert.ok(object);
      delete object.fault;
    }
    const { status: code } = await login.client.post(`/imports/${id}/retry-failed`, {});
    assert.equal(code, 200);
    const retried = await reached(login.client, id, 'completed');
    assert.deepEqual([retried.found, retried.imported, retried.failed], [11, 7, 3], JSON.stringify(retried));
    assert.deepEqual(retried.reasons, { SOURCE_CHANGED: 1, SOURCE_KEY_INVALID: 1, SIZE_MISMATCH: 2 });
    assert.equal(faulty.reads.get(`${prefix}good.jpg`), 1);
  });

  for (const [listing, wanted, code] of [
    ['repeats', 'failed', 'SOURCE_LIST_REPEATS'],
    ['is denied', 'failed', 'SOURCE_DENIED'],
    ['is no listing', 'paused', 'SOURCE_UNAVAILABLE'],
  ] as const) {
    test(`whose listing ${listing} ends as ${wanted}, with the reason`, async (t) => {
      const { login, source } = await withFaults({ 'a.jpg': { bytes: await uniqueImage() } });
      t.after(() => (faulty.listing = undefined));
      faulty.listing = listing;
      const id = await begun(login.client, { source });
      const ended = await reached(login.client, id, wanted);
      assert.equal(ended.reason.code, code);
      faulty.listing = undefined;
      // Another one begins to list where this one was.
      assert.equal((await login.client.post(`/imports/${id}/resume`, {})).status, 200);
      assert.equal((await reached(login.client, id, 'completed')).imported, 1);
    });
  }

  test('that is no bucket, or at an address inside, cannot be connected', async () => {
    const { client } = await logIn(orm, run);
    const connect = async (endpoint: string): Promise<Json> => {
      const bucket = { bucket_name: 'nothing', region: 'us-east-1', endpoint };
      return (await client.post('/connections', { provider: 's3', ...bucket })).body.code;
    };
    assert.equal(await connect(run.api_url.replace('/api/v2', '')), 'CONNECTION_REJECTED');
    assert.equal(await connect('http://169.254.169.254'), 'CONNECTION_REJECTED');
    assert.equal(await connect('http://127.0.0.1:9'), 'CONNECTION_UNAVAILABLE');
  });
});

describe('an import', () => {
  test('is paused, resumed and cancelled, and its events are sent', async (t) => {
    const receiver = await startWebhookReceiver();
    t.after(() => receiver.stop());
    const objects = Object.fromEntries(
      await Promise.all(
        Array.from({ length: 12 }, async (_, i) => [`${i}.jpg`, { bytes: await uniqueImage() }]),
      ),
    );
    const { login, source, prefix } = await withFaults(objects);
    const { client } = login;
    await client.post('/webhooks/subscriptions', { url: receiver.url, event_types: ['import.*'] });
    const stuck = faulty.objects.get(`${prefix}3.jpg`);
    assert.ok(stuck);
    stuck.fault = 'hangs';
    const id = await begun(client, { source, concurrency: 2 });
    await eventually(async () => assert.ok((faulty.reads.get(`${prefix}3.jpg`) ?? 0) > 0));
    const { body: paused } = await client.post(`/imports/${id}/pause`, {});
    assert.equal(paused.status, 'paused');
    assert.equal((await client.post(`/imports/${id}/pause`, {})).status, 200);
    delete stuck.fault;
    assert.equal((await client.post(`/imports/${id}/resume`, {})).body.status, 'pending');
    const ended = await reached(client, id, 'completed');
    assert.deepEqual([ended.imported, ended.failed], [12, 0]);
    assert.equal((await client.get('/files')).body.total_count, 12);
    assert.equal((await client.post(`/imports/${id}/cancel`, {})).body.code, 'IMPORT_ENDED');
    assert.equal((await client.post(`/imports/${id}/resume`, {})).body.code, 'IMPORT_ENDED');
    assert.equal((await client.post(`/imports/${id}/retry-failed`, {})).body.code, 'NOTHING_TO_RETRY');

    stuck.fault = 'hangs';
    stuck.bytes = await uniqueImage();
    const second = await begun(client, { source });
    await eventually(async () => assert.ok((faulty.reads.get(`${prefix}3.jpg`) ?? 0) > 2));
    assert.equal((await client.post(`/imports/${second}/cancel`, {})).body.status, 'cancelled');
    await eventually(async () => {
      const row = await orm.em.fork().execute('select engine_due_at from imports where id = ?', [second]);
      assert.deepEqual(row, [{ engine_due_at: null }]);
      // A run that is cancelled before it reads the row leaves this to the sweep of the next minute.
    }, 150);
    const wanted = ['started', 'paused', 'resumed', 'completed', 'started', 'cancelled'];
    await eventually(async () => {
      assert.deepEqual(
        receiver.events.map(({ type }) => type).toSorted(),
        wanted.map((type) => `import.${type}`).toSorted(),
      );
    }, 30);
  });

  test('that repeats imports what is new or has changed, and discards what has gone', async () => {
    const contents: Record<string, Buffer> = {
      'stays.jpg': await uniqueImage(),
      'changes.jpg': await uniqueImage(),
      'goes.jpg': await uniqueImage(),
      'purged.jpg': await uniqueImage(),
      'filed.jpg': await uniqueImage(),
    };
    const { login, bucket, source } = await withObjects(contents);
    const { client } = login;
    const id = await begun(client, {
      source,
      repeat_every_hours: 24,
      when_gone: 'trash',
      max_files_per_minute: 600,
    });
    const first = await reached(client, id, 'completed');
    assert.equal(first.max_files_per_minute, 600);
    assert.deepEqual([first.pass, first.imported, first.gone], [1, 5, 0]);
    const nextAt = Date.parse(first.next_pass_at) - Date.parse(first.completed_at);
    assert.equal(nextAt, 24 * 3_600_000);
    const before = Object.fromEntries(
      (await itemsOf(client, id)).map(({ key, file_id: fileId }) => [key, fileId as string]),
    );
    await store.admin.putObject(bucket.bucket_name, 'changes.jpg', await uniqueImage());
    await store.admin.putObject(bucket.bucket_name, 'comes.jpg', await uniqueImage());
    const { body: folder } = await client.post('/folders', { name: 'For a while' });
    const filed = `/files/${before['filed.jpg']}`;
    assert.equal((await client.patch(filed, { folder_id: folder.id })).status, 200);
    for (const key of ['goes.jpg', 'purged.jpg', 'filed.jpg'])
      await store.admin.removeObject(bucket.bucket_name, key);
    // The time of the next pass comes.
    await orm.em.fork().nativeUpdate(FileImport, { id }, { nextPassAt: new Date() });
    const second = await eventually(async () => {
      const { body } = await client.get(`/imports/${id}`);
      assert.deepEqual([body.pass, body.status], [2, 'completed'], JSON.stringify(body));
      return body;
    }, 60);
    assert.deepEqual([second.found, second.imported, second.gone], [7, 7, 4]);
    const gone = await itemsOf(client, id, '&gone=true');
    assert.deepEqual(gone.map(({ key }) => key).toSorted(), [
      'changes.jpg',
      'filed.jpg',
      'goes.jpg',
      'purged.jpg',
    ]);
    const listed = async () =>
      (await client.get('/files?limit=100')).body.items.map(({ id: fileId }: Json) => fileId);
    assert.equal((await listed()).length, 3);
    assert.ok((await listed()).includes(before['stays.jpg']));

    // All come back, of which a person discards one before that, and the folder of another; the time of a third is over.
    const put = (key: string) =>
      store.admin.putObject(bucket.bucket_name, key, contents[key] ?? Buffer.alloc(0));
    await put('goes.jpg');
    const path = `/files/${before['changes.jpg']}`;
    assert.equal((await client.post(`${path}/restore`, {})).status, 200);
    assert.equal((await client.delete(path)).status, 200);
    await put('changes.jpg');
    assert.ok((await client.delete(`/folders/${folder.id}`)).status < 300);
    await put('filed.jpg');
    await orm.em
      .fork()
      .nativeUpdate(StoredFile, { id: before['purged.jpg'] ?? '' }, { purgeAt: new Date(0) });
    await put('purged.jpg');
    await client.post(`/imports/${id}/resume`, {});
    await eventually(async () => assert.equal((await client.get(`/imports/${id}`)).body.pass, 3));
    const third = await reached(client, id, 'completed');
    assert.deepEqual([third.found, third.imported, third.gone], [7, 6, 1]);
    assert.deepEqual(third.reasons, { FILE_REMOVED: 1 });
    assert.ok((await listed()).includes(before['goes.jpg']));
    for (const key of ['changes.jpg', 'filed.jpg', 'purged.jpg'])
      assert.ok(!(await listed()).includes(before[key]), key);

    // An item is forgotten that has gone long ago, and whose file is removed; if it comes back, the receipt is known.
    const removed = { fileId: before['purged.jpg'] ?? '', tenantId: login.tenantId };
    const em = orm.em.fork();
    await em.execute(
      `insert into file_removals (file_id, began_at, object_keys, vectors) values (?, now(), '{}', 0)
       on conflict (file_id) do update set began_at = excluded.began_at`,
      [removed.fileId],
    );
    assert.ok(await removeFileRows(em, removed));
    await em.execute(`update import_items set ended_at = now() - interval '31 days' where import_id = ?`, [
      id,
    ]);
    await store.admin.removeObject(bucket.bucket_name, 'purged.jpg');
    const passes = async (pass: number) => {
      await client.post(`/imports/${id}/resume`, {});
      await eventually(async () => assert.equal((await client.get(`/imports/${id}`)).body.pass, pass));
      await reached(client, id, 'completed');
      const items = await itemsOf(client, id);
      assert.equal(
        (await client.get(`/imports/${id}`)).body.found,
        items.length,
        'what is forgotten is not counted',
      );
      return items.map(({ key, reason }) => `${key} ${reason?.code ?? ''}`.trim());
    };
    assert.deepEqual((await passes(4)).toSorted(), [
      'changes.jpg',
      'changes.jpg',
      'comes.jpg',
      'filed.jpg',
      'goes.jpg',
      'stays.jpg',
    ]);
    await put('purged.jpg');
    assert.ok((await passes(5)).includes('purged.jpg FILE_REMOVED'));

    for (const key of ['comes.jpg', ...Object.keys(contents)])
      await store.admin.removeObject(bucket.bucket_name, key);
    await client.post(`/imports/${id}/resume`, {});
    const empty = await reached(client, id, 'failed');
    assert.equal(empty.reason.code, 'SOURCE_EMPTY');
    assert.equal((await client.post(`/imports/${id}/resume`, {})).body.status, 'pending');
    assert.equal((await reached(client, id, 'failed')).reason.code, 'SOURCE_EMPTY');
    assert.equal((await client.get('/files')).body.total_count, 3);
    assert.equal((await client.post(`/imports/${id}/cancel`, {})).body.next_pass_at, null);
    assert.equal((await client.post(`/imports/${id}/resume`, {})).body.code, 'IMPORT_ENDED');
  });

  test('keeps a file for which another object stands, and one whose replacement cannot be imported', async () => {
    const [same, other] = [await uniqueImage(), await uniqueImage()];
    const { login, bucket, source } = await withObjects({ 'a.jpg': same, 'b.jpg': other });
    const { client } = login;
    const more = { repeat_every_hours: 1, when_gone: 'trash', skip_duplicates: true, concurrency: 1 };
    const id = await begun(client, { source, ...more });
    await reached(client, id, 'completed');
    const put = (key: string, bytes: Buffer) => store.admin.putObject(bucket.bucket_name, key, bytes);
    await put('copy.jpg', same);
    await client.post(`/imports/${id}/resume`, {});
    await eventually(async () => assert.equal((await client.get(`/imports/${id}`)).body.pass, 2));
    assert.deepEqual((await reached(client, id, 'completed')).reasons, { DUPLICATE: 1 });

    await store.admin.removeObject(bucket.bucket_name, 'a.jpg');
    await put('b.jpg', Buffer.alloc(0));
    await client.post(`/imports/${id}/resume`, {});
    await eventually(async () => assert.equal((await client.get(`/imports/${id}`)).body.pass, 3));
    const ended = await reached(client, id, 'completed');
    assert.deepEqual([ended.gone, ended.reasons], [1, { DUPLICATE: 1, EMPTY_FILE: 1 }]);
    assert.equal((await client.get('/files')).body.total_count, 2);
  });

  test('of a list that is suddenly a page discards nothing, and ends with its account', async (t) => {
    const site = await startWebSite('127.0.0.1');
    t.after(() => site.stop());
    const login = await logIn(orm, run);
    const { client } = login;
    site.serve('/a.jpg', pages.of(await uniqueImage()));
    site.serve('/list', pages.of(Buffer.from(`url\n${site.url('/a.jpg')}\n${site.url('/b.jpg,c.jpg')}\n`)));
    const list = { type: 'manifest', url: site.url('/list') };
    const id = await begun(client, { source: list, repeat_every_hours: 1, when_gone: 'trash' });
    const first = await reached(client, id, 'completed');
    assert.deepEqual([first.imported, first.reasons], [1, { ROW_INVALID: 1 }]);
    site.serve('/list', pages.of(Buffer.from('<!doctype html>\n<p>Sign in to see this list.\n')));
    await client.post(`/imports/${id}/resume`, {});
    assert.equal((await reached(client, id, 'failed')).reason.code, 'SOURCE_EMPTY');
    assert.equal((await client.get('/files')).body.total_count, 1);
  });

  test('without credits pauses with that reason, and goes on when there are some', async () => {
    const login = await logIn(orm, run, { tenant: { maxMonthlyCredits: 2 } });
    const bucket = await store.createBucket(bucketName());
    const objects = await images(4);
    for (const { bytes, filename } of objects)
      await store.admin.putObject(bucket.bucket_name, filename, bytes);
    const source = { type: 'bucket', connection_id: await connected(login, bucket) };
    const repeats = { repeat_every_hours: 1, when_gone: 'trash' };
    const id = await begun(login.client, { source, auto_describe: true, concurrency: 1, ...repeats });
    const paused = await reached(login.client, id, 'paused');
    assert.deepEqual([paused.reason.code, paused.imported, paused.failed], ['QUOTA_EXHAUSTED', 2, 0]);
    const allow = (credits: number) =>
      orm.em
        .fork()
        .execute('update tenants set max_monthly_credits = ? where id = ?', [credits, login.tenantId]);
    const resume = () => login.client.post(`/imports/${id}/resume`, {});
    await allow(10);
    await resume();
    assert.equal((await reached(login.client, id, 'completed')).imported, 4);

    // A file that comes back, and whose description its deletion has cut short.
    const [item] = await itemsOf(login.client, id);
    await login.client.settled(item?.file_id);
    await store.admin.removeObject(bucket.bucket_name, item?.key);
    await resume();
    await eventually(async () => assert.equal((await login.client.get(`/imports/${id}`)).body.pass, 2));
    assert.equal((await reached(login.client, id, 'completed')).gone, 1);
    const em = orm.em.fork();
    const trashed = await em.findOneOrFail(StoredFile, item?.file_id);
    const endedAt = trashed.deletedAt?.toISOString() ?? '';
    const description = { status: 'skipped', cause: 'cancelled', endedAt } as const;
    trashed.components = { ...trashed.components, description };
    await em.flush();
    await allow(1);
    const bytes = objects.find(({ filename }) => filename === item?.key)?.bytes;
    await store.admin.putObject(bucket.bucket_name, item?.key, bytes ?? Buffer.alloc(0));
    await resume();
    const waits = await reached(login.client, id, 'paused');
    assert.deepEqual([waits.reason.code, waits.pass, waits.gone], ['QUOTA_EXHAUSTED', 3, 1]);
    await allow(10);
    await resume();
    assert.equal((await reached(login.client, id, 'completed')).gone, 0);
    const back = await login.client.settled(item?.file_id);
    assert.equal(back.primary_status, 'completed');
  });

  test('begins once for an Idempotency-Key, and three at a time', async () => {
    const { login, source } = await withFaults({ 'a.jpg': { bytes: await uniqueImage(), fault: 'hangs' } });
    const body = JSON.stringify({ source });
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': 'once' };
    const ask = () => login.client.request('POST', '/imports', { body, headers });
    const [one, two] = [await ask(), await ask()];
    assert.equal(one.body.id, two.body.id);
    await begun(login.client, { source });
    await begun(login.client, { source });
    const { status: code, body: refused } = await login.client.post('/imports', { source });
    assert.deepEqual([code, refused.code], [429, 'TOO_MANY_IMPORTS']);
    for (const { id } of (await login.client.get('/imports')).body.items)
      assert.equal((await login.client.post(`/imports/${id}/cancel`, {})).status, 200);
  });

  test('fails when its connection is deleted', async () => {
    const { login, source } = await withFaults({ 'a.jpg': { bytes: await uniqueImage() } });
    faulty.listing = 'is no listing';
    const id = await begun(login.client, { source });
    await reached(login.client, id, 'paused');
    faulty.listing = undefined;
    assert.equal((await login.client.delete(`/connections/${source.connection_id}`)).status, 204);
    await login.client.post(`/imports/${id}/resume`, {});
    assert.equal((await reached(login.client, id, 'failed')).reason.code, 'CONNECTION_GONE');
  });
});
