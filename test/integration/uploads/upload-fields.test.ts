import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { after, test } from 'node:test';
import { s3Config } from '../../../adapters/object-store/config.ts';
import { createS3ObjectStore } from '../../../adapters/object-store/s3-object-store.ts';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { ApiKey } from '../../../db/entities/accounts/api-key.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { UploadSession } from '../../../db/entities/upload-sessions/upload-session.ts';
import { ClaimedObject } from '../../../db/entities/uploads/claimed-object.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { generateApiKey } from '../../../services/accounts/api-key.ts';
import { sharedRun } from '../../support/api.ts';
import { collect } from '../../support/collect.ts';
import { quarters } from '../../support/sample-images.ts';

/** Text fields around the file of a request: invalid ones, and fields both before and after it. */
const run = sharedRun();
const orm = createOrm(readConfig([databaseConfig], process.env));
const objects = createS3ObjectStore(readConfig([s3Config], process.env));
after(() => orm.close(true));

const tenantId = randomUUID();
const { id: keyId, key, hash } = generateApiKey();
const createdAt = new Date();
await orm.em.fork().insert(Tenant, { id: tenantId, name: 'fields', tier: 'enterprise', createdAt });
await orm.em.fork().insert(ApiKey, {
  id: keyId,
  tenantId,
  name: 'fields',
  keyHash: hash,
  role: 'owner',
  createdAt,
  expiresAt: null,
  revokedAt: null,
});

const image = await quarters().png().toBuffer();
const SENDING = { '/files/upload': 'file', '/files/upload/batch': 'files' } as const;
type Path = keyof typeof SENDING;

for (const path of Object.keys(SENDING) as Path[]) {
  test(`an invalid field before the file is rejected immediately, and nothing is stored (POST ${path})`, async () => {
    const client = begin(path);
    client.write(field('auto_describe', 'maybe'));
    client.write(file(path));
    client.write(image);
    // The body never ends.
    const { status, body } = await answered(client);
    client.destroy();
    assert.equal(status, 422);
    assert.equal(body.errors[0]?.pointer, '/form/auto_describe');
    await assertNothingLeft();
  });

  test(`an invalid field after the file is rejected, and nothing is stored (POST ${path})`, async () => {
    const before = await orm.em.fork().count(StoredFile, { tenantId });
    const client = begin(path);
    client.write(file(path));
    client.write(image);
    client.end(`\r\n${field('auto_describe', 'maybe')}--b--\r\n`);
    assert.equal((await answered(client)).status, 422);
    assert.equal(await orm.em.fork().count(StoredFile, { tenantId }), before);
  });
}

test('fields both before and after the files of a batch are rejected', async () => {
  const { status, body } = await sendAround('/files/upload/batch', 'false');
  assert.equal(status, 422);
  assert.equal(body.errors[0]?.pointer, '/form/auto_describe');
});

test('fields both before and after a single file count', async () => {
  const before = await orm.em.fork().count(StoredFile, { tenantId });
  assert.equal((await sendAround('/files/upload', 'maybe')).status, 422);
  assert.equal(await orm.em.fork().count(StoredFile, { tenantId }), before);
  const { status, body } = await sendAround('/files/upload', 'false');
  assert.equal(status, 201);
  const stored = await orm.em.fork().findOneOrFail(StoredFile, { id: body.file_id, tenantId });
  assert.deepEqual(stored.tags, ['before']);
  assert.equal(stored.components.description?.status, 'skipped');
});

for (const path of Object.keys(SENDING) as Path[]) {
  test(`repeated tags fields are joined (POST ${path})`, async () => {
    const client = begin(path);
    for (const tags of ['red,blue', 'green', '', 'red']) client.write(field('tags', tags));
    client.write(field('auto_describe', 'false'));
    client.write(file(path));
    client.write(image);
    client.end('\r\n--b--\r\n');
    const { status, body } = await answered(client);
    assert.equal(status, 201);
    const id = body.file_id ?? body.immediate_results?.[0]?.file_id;
    const stored = await orm.em.fork().findOneOrFail(StoredFile, { id, tenantId });
    assert.deepEqual(stored.tags, ['red', 'blue', 'green']);
  });
}

test('a request without a file is refused with the missing field', async () => {
  const client = begin('/files/upload');
  client.end(`${field('tags', 'red')}--b--\r\n`);
  const { status, body } = await answered(client);
  assert.deepEqual([status, body.errors[0]], [422, { pointer: '/form/file', message: 'is required' }]);
});

/** Sends a file between two text fields: its tags, and whether to describe it. */
async function sendAround(path: Path, autoDescribe: string) {
  const client = begin(path);
  client.write(field('tags', 'before'));
  client.write(file(path));
  client.write(image);
  client.end(`\r\n${field('auto_describe', autoDescribe)}--b--\r\n`);
  return answered(client);
}

function begin(path: Path): ClientRequest {
  const client = request(`${run.api_url}${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'multipart/form-data; boundary=b' },
  });
  client.on('error', () => undefined);
  return client;
}

function field(name: string, value: string): string {
  return `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
}

function file(path: Path): string {
  return `--b\r\nContent-Disposition: form-data; name="${SENDING[path]}"; filename="a.png"\r\n\r\n`;
}

async function answered(client: ClientRequest): Promise<{ status?: number; body: Problem }> {
  const [response] = (await once(client, 'response', { signal: AbortSignal.timeout(60_000) })) as [
    IncomingMessage,
  ];
  const text = (await response.toArray()).join('');
  return { ...(response.statusCode && { status: response.statusCode }), body: JSON.parse(text) as Problem };
}
interface Problem {
  file_id: string;
  immediate_results?: { file_id: string }[];
  errors: { pointer: string; message: string }[];
}

async function assertNothingLeft(): Promise<void> {
  const em = orm.em.fork();
  const prefix = `tenants/${tenantId}/`;
  assert.equal(await em.count(StoredFile, { tenantId }), 0, 'rows');
  assert.equal(await em.count(UploadSession, { tenantId }), 0, 'upload sessions');
  assert.equal(await em.count(ClaimedObject, { objectKey: { $like: `${prefix}%` } }), 0, 'claims');
  assert.deepEqual(await collect(objects.list(prefix)), []);
  assert.deepEqual(await collect(objects.listIncompleteUploads(prefix)), []);
}
