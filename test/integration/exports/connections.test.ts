import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { createSecretCipher } from '../../../adapters/encryption/secret-cipher.ts';
import { encryptionConfig } from '../../../adapters/encryption/config.ts';
import { googleConfig } from '../../../adapters/google-sheets/config.ts';
import { createGoogleSheets, type GoogleSheets } from '../../../adapters/google-sheets/google-sheets.ts';
import { s3Config } from '../../../adapters/object-store/config.ts';
import { createS3ObjectStore } from '../../../adapters/object-store/s3-object-store.ts';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { Connection } from '../../../db/entities/connections/connection.ts';
import { DataExport } from '../../../db/entities/exports/export.ts';
import type { FilesSpec } from '../../../domain/exports/spec.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { rotateEncryptionKey } from '../../../services/connections/rotate-encryption-key.ts';
import { secretOf, sealSecret } from '../../../services/connections/sealed-secret.ts';
import { createExport } from '../../../services/exports/create-export.ts';
import { writeExport } from '../../../services/exports/write-export.ts';
import { sharedRun, type Json } from '../../support/api.ts';
import { ingestImage } from '../../support/ingest-image.ts';
import { logIn, type LoggedIn } from '../../support/login.ts';

/** The fake Google server of the test run. */
const google = process.env['GOOGLE_BASE_URL'] ?? '';
const run = sharedRun();
const config = readConfig([databaseConfig], process.env);
const orm = createOrm(config);
after(() => orm.close(true));
let owner: LoggedIn;
before(async () => {
  owner = await logIn(orm, run);
  for (const title of ['=1+1', 'Harbour']) {
    const { id } = await ingestImage(orm.em.fork(), owner.tenantId);
    await orm.em.fork().execute('update files set title = ? where id = ?', [title, id]);
  }
});

const control = async (path: string, body: Json): Promise<Json> =>
  (await fetch(`${google}/control/${path}`, { method: 'POST', body: JSON.stringify(body) })).json();

async function connect(): Promise<{ account: string; id: string }> {
  const account = `account-${randomUUID()}`;
  const { status, body } = await owner.client.post('/connections', { refresh_token: account });
  assert.equal(status, 201, JSON.stringify(body));
  return { account, id: body.id };
}

const sheetOf = (connection: string, more: Json = {}): Json => ({
  format: 'google_sheets',
  columns: [{ field_key: 'title' }, { field_key: 'size_bytes' }, { field_key: 'user_description' }],
  sheet_name: "Bob's files",
  google_sheets_title: 'Harbour',
  connection_id: connection,
  ...more,
});

test('files are written into one spreadsheet of the connected account, without formulas', async () => {
  const { account, id } = await connect();
  const { status, body } = await owner.client.post('/files/export', sheetOf(id));
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual([body.record_count, body.download_url, body.format], [2, null, 'google_sheets']);
  const { spreadsheets } = await control('look', { account });
  assert.equal(spreadsheets.length, 1);
  const [{ id: sheetId, name, sheet, cells }] = spreadsheets;
  assert.ok(body.spreadsheet_url.includes(sheetId));
  assert.deepEqual([name, sheet.title, sheet.rowCount, sheet.columnCount], ['Harbour', "Bob's files", 3, 3]);
  assert.deepEqual(cells[0], ['Title', 'Size (bytes)', 'User description']);
  assert.deepEqual(cells.slice(1).toSorted(), [
    ['=1+1', 1, ''],
    ['Harbour', 1, ''],
  ]);
});

test('an export waits for a provider that answers 429, and still creates one spreadsheet', async () => {
  const { account, id } = await connect();
  await control('trouble', { account, trouble: { status: 429, retryAfter: '1', times: 2 } });
  const { status, body } = await owner.client.post('/files/export', sheetOf(id));
  assert.equal(status, 200, JSON.stringify(body));
  const { spreadsheets, writes } = await control('look', { account });
  assert.equal(spreadsheets.length, 1);
  assert.deepEqual(
    writes.map(({ range }: Json) => range),
    ["'Bob''s files'!A1", "'Bob''s files'!A2"],
  );
});

test('a spreadsheet keeps no row of a failed attempt, however many files are left', async () => {
  const { account, id: connectionId } = await connect();
  const config = readConfig([databaseConfig, encryptionConfig, googleConfig, s3Config], process.env);
  const sheets = createGoogleSheets(config);
  assert.ok(sheets);
  const { tenantId } = owner;
  const target = { exportId: randomUUID(), tenantId };
  const ids = await Promise.all([1, 2].map(async () => (await ingestImage(orm.em.fork(), tenantId)).id));
  const spec: FilesSpec = {
    columns: [{ key: 'id', name: 'ID' }],
    fileIds: ids,
    includeSubfolders: false,
    flattenTags: true,
    sheetName: 'Files',
    title: 'x',
  };
  const wanted = { kind: 'files', format: 'google_sheets', connectionId, spec } as const;
  await createExport(orm.em.fork(), target, wanted, {
    credential: { kind: 'api_key', keyId: '00000000', scopes: null },
    ipAddress: '127.0.0.1',
  });
  await orm.em.fork().nativeUpdate(DataExport, { id: target.exportId }, { engineDueAt: null });
  const write = (through: GoogleSheets) =>
    writeExport(
      {
        em: orm.em.fork(),
        objects: createS3ObjectStore(config),
        cipher: createSecretCipher(config),
        sheets: through,
      },
      target,
      { signal: new AbortController().signal, onProgress: () => undefined },
    );
  const rowsOf = async () => {
    const { spreadsheets } = await control('look', { account });
    const [{ sheet, cells }] = spreadsheets;
    return cells.slice(0, sheet.rowCount).flat().toSorted();
  };
  const breaking: GoogleSheets = {
    ...sheets,
    async writeRows(token, id, at, signal) {
      await sheets.writeRows(token, id, at, signal);
      if (at.firstRow > 1) throw new Error('the worker is gone');
    },
  };
  const trash = (id: string | undefined) =>
    orm.em.fork().execute('update files set deleted_at = now() where id = ?', [id]);
  await assert.rejects(write(breaking), /the worker is gone/);
  assert.deepEqual(await rowsOf(), ['ID', ...ids].toSorted());
  await trash(ids[0]);
  const shaping: GoogleSheets = {
    ...sheets,
    async shapeSheet(token, id, sheet, signal) {
      await sheets.shapeSheet(token, id, sheet, signal);
      if (sheet.rows === 2) throw new Error('the worker is gone');
    },
  };
  await assert.rejects(write(shaping), /the worker is gone/);
  assert.deepEqual(await rowsOf(), ['ID', ids[1] ?? ''].toSorted());
  await trash(ids[1]);
  assert.equal(await write(sheets), 0);
  assert.deepEqual(await rowsOf(), ['', 'ID']);
});

test('a connection that was revoked at the provider is reported by the export and by the connection', async () => {
  const { account, id } = await connect();
  await control('revoke', { account });
  const { status, body } = await owner.client.post('/files/export', sheetOf(id));
  assert.deepEqual([status, body.code], [424, 'CONNECTION_REJECTED']);
  assert.match(body.detail, /expired or revoked/);
  const { body: connection } = await owner.client.get(`/connections/${id}`);
  assert.equal(connection.status, 'revoked');
  const again = await owner.client.post('/files/export', sheetOf(id));
  assert.deepEqual([again.status, again.body.code], [424, 'CONNECTION_REJECTED']);
});

test('a refresh token that the provider rejects is not stored', async () => {
  const { status, body } = await owner.client.post('/connections', { refresh_token: 'nonsense' });
  assert.deepEqual([status, body.code], [424, 'CONNECTION_REJECTED']);
  const { body: list } = await owner.client.get('/connections');
  assert.ok(!JSON.stringify(list).includes('nonsense'));
});

test('an account is connected by consent once, only by the user who began', async () => {
  const { status, body } = await owner.client.post('/connections/oauth/start', { name: 'Drive' });
  assert.equal(status, 201, JSON.stringify(body));
  const consented = await fetch(body.authorization_url, { redirect: 'manual' });
  const location = new URL(consented.headers.get('location') ?? '');
  const path = `${location.pathname.replace('/api/v2', '')}${location.search}`;
  const other = await logIn(orm, run, { tenantId: owner.tenantId, role: 'admin' });
  assert.deepEqual((await other.client.get(path)).body.code, 'CONNECTION_REJECTED');
  const finished = await owner.client.get(path);
  assert.equal(finished.status, 200, JSON.stringify(finished.body));
  assert.deepEqual([finished.body.name, finished.body.status], ['Drive', 'active']);
  assert.equal((await owner.client.get(path)).status, 424);
  const { body: sheet } = await owner.client.post('/files/export', sheetOf(finished.body.id));
  assert.equal(sheet.record_count, 2);
  assert.equal((await owner.client.delete(`/connections/${finished.body.id}`)).status, 204);
  assert.equal((await owner.client.get(`/connections/${finished.body.id}`)).status, 404);
});

test('a viewer can read connections, but not export through them', async () => {
  const { id } = await connect();
  const viewer = await logIn(orm, run, { tenantId: owner.tenantId, role: 'viewer' });
  assert.equal((await viewer.client.get('/connections')).status, 200);
  assert.equal((await viewer.client.post('/files/export', sheetOf(id))).status, 403);
  const stranger = await logIn(orm, run);
  assert.equal((await stranger.client.post('/files/export', sheetOf(id))).status, 404);
});

test('the key that encrypts refresh tokens can be rotated', async () => {
  const { account, id } = await connect();
  const keys = ['first', 'second'].map(
    (name, at) => `${name}:${Buffer.alloc(32, at + 1).toString('base64')}`,
  );
  const cipherOf = (current: string, former = '') =>
    createSecretCipher(
      readConfig([encryptionConfig], { ENCRYPTION_KEY: current, ENCRYPTION_FORMER_KEYS: former }),
    );
  const [first = '', second = ''] = keys;
  const sealed = sealSecret(cipherOf(first), owner.tenantId, account);
  await orm.em.fork().nativeUpdate(Connection, { id }, sealed);
  const next = cipherOf(second, first);
  const { unreadable } = await rotateEncryptionKey(orm.em.fork(), next);
  assert.ok(!unreadable.some((one) => one.id === id));
  const rotated = await orm.em.fork().findOneOrFail(Connection, { id });
  assert.equal(rotated.encryptionKeyId, 'second');
  assert.equal(secretOf(next, rotated), account);
  assert.throws(
    () => secretOf(next, { ...rotated, tenantId: randomUUID() }),
    'a token is bound to its tenant',
  );
});
