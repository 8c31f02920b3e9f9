import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { encryptionConfig, type EncryptionKey } from '../../../adapters/encryption/config.ts';
import { createSecretCipher } from '../../../adapters/encryption/secret-cipher.ts';
import { mountStores } from '../../../adapters/object-store/mounted-stores.ts';
import { s3Config } from '../../../adapters/object-store/config.ts';
import { createS3ObjectStore } from '../../../adapters/object-store/s3-object-store.ts';
import { createAddressGuard } from '../../../adapters/outbound/address-guard.ts';
import { AuditEvent } from '../../../db/entities/accounts/audit-event.ts';
import { StorageConfig } from '../../../db/entities/accounts/storage-config.ts';
import { DeletionReceipt } from '../../../db/entities/trash/deletion-receipt.ts';
import { FileRemoval } from '../../../db/entities/trash/file-removal.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { ClaimedObject } from '../../../db/entities/uploads/claimed-object.ts';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { originalKey } from '../../../domain/object-keys.ts';
import { createTenantStores, openBucket } from '../../../services/storage/tenant-stores.ts';
import { rotateEncryptionKey } from '../../../services/connections/rotate-encryption-key.ts';
import { forgetRetiredStorage } from '../../../services/storage/retire-storage.ts';
import { removeFileObjects, removeFileRows } from '../../../services/trash/remove-files.ts';
import { claimObject, removeAbandonedObjects } from '../../../services/uploads/claimed-objects.ts';
import { createClient, eventually, sharedRun, type Json } from '../../support/api.ts';
import { manual } from '../../support/documents.ts';
import { logIn, type LoggedIn } from '../../support/login.ts';
import { objectStoreContract } from '../../support/object-store-contract.ts';
import { paddedImage, uniqueImage } from '../../support/images.ts';
import { registerMedia } from '../../../services/all-media.ts';
import { startTenantStore, type OwnBucket, type TenantStore } from '../../support/tenant-store.ts';

const run = sharedRun();
const config = readConfig([databaseConfig, s3Config, encryptionConfig], process.env);
registerMedia();
const orm = createOrm(config);
const cipher = createSecretCipher(config);
const guard = createAddressGuard(['127.0.0.1']);
const main = createS3ObjectStore(config);
const objects = createTenantStores({ orm, main, cipher, guard });
const em = () => orm.em.fork();

let store: TenantStore;
before(async () => {
  store = await startTenantStore();
});
after(async () => {
  await store.stop();
  await orm.close(true);
});

const CUSTOM = { storage_target: 'custom' };
const PATH = '/tenant/storage-config';
const refused = ({ status, body }: { status: number; body: Json }) => [status, body.code];
const bucketName = () => `own-${randomUUID().slice(0, 8)}`;

/** A tenant with its own configured bucket. */
async function configured(): Promise<LoggedIn & { bucket: OwnBucket }> {
  const login = await logIn(orm, run);
  const bucket = await store.createBucket(bucketName());
  const answer = await login.client.post(PATH, bucket);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return { ...login, bucket };
}

const row = (fileId: string) => em().findOneOrFail(StoredFile, { id: fileId });
const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('the configuration', () => {
  test('is verified in the bucket, stored encrypted, never returned, and audited', async () => {
    const { client, tenantId, userId } = await logIn(orm, run);
    const bucket = await store.createBucket(bucketName());
    assert.deepEqual((await client.get(PATH)).body, {
      configured: false,
      bucket_name: null,
      region: null,
      endpoint: null,
      configured_at: null,
      is_validated: null,
      error: null,
      retired_buckets: [],
    });
    assert.deepEqual(refused(await client.post(`${PATH}/validate`, {})), [400, 'STORAGE_NOT_CONFIGURED']);

    const answer = await client.post(PATH, bucket);
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    const { configured_at, ...shown } = answer.body;
    assert.ok(Date.parse(configured_at) > Date.now() - 60_000);
    assert.deepEqual(shown, {
      configured: true,
      bucket_name: bucket.bucket_name,
      region: 'us-east-1',
      endpoint: store.endpoint,
      is_validated: true,
      error: null,
      retired_buckets: [],
    });
    assert.deepEqual(await store.keysIn(bucket), [], 'the probe is removed');
    const stored = JSON.stringify([await em().find(StorageConfig, { tenantId }), answer.body]);
    assert.ok(!stored.includes(bucket.secret_access_key) && !stored.includes(bucket.access_key_id));
    const [event] = await em().find(AuditEvent, { tenantId });
    assert.partialDeepStrictEqual(event, {
      eventType: 'storage.configured',
      result: 'success',
      userId,
      ipAddress: '127.0.0.1',
      metadata: {
        endpoint: store.endpoint,
        region: 'us-east-1',
        bucket_name: bucket.bucket_name,
      },
    });
    assert.ok(!JSON.stringify(event).includes(bucket.access_key_id));
    assert.deepEqual((await client.post(`${PATH}/validate`, {})).body, {
      valid: true,
      bucket_name: bucket.bucket_name,
      region: 'us-east-1',
      error: null,
    });
  });

  test('is refused with the reason when the bucket cannot be used, and changes nothing', async () => {
    const { client, tenantId, bucket } = await configured();
    const other = await store.createBucket(bucketName());
    const wrong: [Partial<OwnBucket>, string, RegExp][] = [
      [{ secret_access_key: 'wrong' }, 'STORAGE_REJECTED', /do not permit|secret access key is wrong/],
      [{ access_key_id: 'NOBODY' }, 'STORAGE_REJECTED', /do not permit|does not know/],
      [{ bucket_name: other.bucket_name }, 'STORAGE_REJECTED', /do not permit/],
      [{ endpoint: 'http://127.0.0.1:1' }, 'STORAGE_UNREACHABLE', /refuses connections/],
      [{ endpoint: 'https://nowhere.invalid' }, 'STORAGE_UNREACHABLE', /cannot be resolved/],
      [{ endpoint: store.endpoint.replace('http:', 'https:') }, 'STORAGE_UNREACHABLE', /certificate/],
      [{ endpoint: run.api_url.replace('/api/v2', '') }, 'STORAGE_REJECTED', /does not exist|do not permit/],
      [{ endpoint: 'http://127.0.0.2:9' }, 'STORAGE_REJECTED', /public address/],
      [{ endpoint: 'http://169.254.169.254' }, 'STORAGE_REJECTED', /public address/],
      [{ endpoint: 'https://localhost:1' }, 'STORAGE_UNREACHABLE', /refuses connections/],
    ];
    for (const [change, code, reason] of wrong) {
      const answer = await client.post(PATH, { ...bucket, ...change });
      assert.deepEqual(refused(answer), [424, code], JSON.stringify([change, answer.body]));
      assert.match(answer.body.detail, reason);
      assert.ok(!JSON.stringify(answer.body).includes(bucket.secret_access_key));
      await em().execute('delete from rate_limits where key like ?', [`%${tenantId}`]);
    }
    assert.equal((await client.get(PATH)).body.bucket_name, bucket.bucket_name);
    assert.equal(await em().count(AuditEvent, { tenantId, result: 'failure' }), wrong.length);

    const invalid = await client.post(PATH, {
      access_key_id: 'with space',
      secret_access_key: '',
      bucket_name: 'Capitals',
      region: '../x',
      endpoint: 'http://user:password@store.example.com/path?x=1',
    });
    assert.equal(invalid.status, 422);
    for (const unusable of [
      { endpoint: 'https://[::1]' },
      { endpoint: 'https://[::ffff:127.0.0.1]' },
      { endpoint: 'https://-a.example' },
      { bucket_name: 'a..b' },
      { bucket_name: '127.0.0.1' },
    ]) {
      const answer = await client.post(PATH, { ...bucket, ...unusable });
      assert.deepEqual(refused(answer), [422, 'VALIDATION_FAILED'], JSON.stringify(unusable));
      await em().execute('delete from rate_limits where key like ?', [`%${tenantId}`]);
    }
    assert.deepEqual(
      invalid.body.errors.map(({ pointer }: Json) => pointer).toSorted(),
      ['access_key_id', 'bucket_name', 'endpoint', 'region', 'secret_access_key'].map(
        (name) => `/body/${name}`,
      ),
    );
  });

  test('needs a login session with the permission, and each operation has its own limit', async () => {
    const { client, tenantId, bucket } = await configured();
    const viewer = await logIn(orm, run, { tenantId, role: 'viewer' });
    assert.equal((await viewer.client.get(PATH)).status, 200);
    assert.equal((await client.post(`${PATH}/validate`, {})).body.valid, true);
    const editor = await logIn(orm, run, { tenantId, role: 'editor' });
    for (const { client: other } of [viewer, editor]) {
      assert.deepEqual(refused(await other.post(PATH, bucket)), [403, 'FORBIDDEN']);
      assert.deepEqual(refused(await other.post(`${PATH}/validate`, {})), [403, 'FORBIDDEN']);
      assert.deepEqual(refused(await other.delete(PATH)), [403, 'FORBIDDEN']);
    }
    assert.deepEqual(refused(await createClient(run).get(PATH)), [403, 'LOGIN_SESSION_REQUIRED']);
    const stranger = await logIn(orm, run);
    assert.equal((await stranger.client.get(PATH)).body.configured, false);
    const many = await Promise.all(Array.from({ length: 11 }, () => client.post(`${PATH}/validate`, {})));
    assert.ok(many.some(({ status }) => status === 429));
  });
});

describe('uploads to the own bucket', () => {
  test('store the bytes and variants of streamed single and batch uploads in it only', async () => {
    const { client, tenantId, bucket } = await configured();
    const [small, large, first, second] = await Promise.all([
      uniqueImage(300, 200),
      paddedImage(6 * 2 ** 20),
      uniqueImage(),
      uniqueImage(),
    ]);
    const one = await client.upload({ bytes: small, fields: CUSTOM });
    assert.deepEqual([one.status, one.body.storage_target], [201, 'custom']);
    const two = await client.upload({ bytes: large, fields: CUSTOM });
    const batch = await client.batch([{ bytes: first }, { bytes: second }], CUSTOM);
    const targets = batch.body.immediate_results.map((entry: Json) => entry.storage_target);
    assert.deepEqual(targets, ['custom', 'custom']);
    const legacy = new FormData();
    legacy.append('storage_target', 'custom');
    legacy.append('file', new Blob([await uniqueImage()]), 'old.jpg');
    const old = await client.request('POST', '/user-files/upload/stream', { body: legacy });
    assert.deepEqual([old.status, old.body.storage_target], [201, 'custom']);
    const legacyBatch = new FormData();
    legacyBatch.append('storage_target', 'custom');
    legacyBatch.append('files', new Blob([await uniqueImage()]), 'old.jpg');
    const oldBatch = await client.request('POST', '/user-files/upload/stream-batch', { body: legacyBatch });
    assert.equal(oldBatch.body.immediate_results[0].storage_target, 'custom');

    const ids: string[] = [
      one.body.file_id,
      two.body.file_id,
      ...batch.body.immediate_results.map((entry: Json) => entry.file_id),
      old.body.image_id,
      oldBatch.body.immediate_results[0].image_id,
    ];
    for (const id of ids) assert.equal((await client.settled(id)).primary_status, 'completed');
    const keys = await store.keysIn(bucket);
    // An original and four variants each.
    assert.equal(keys.length, 5 * ids.length, keys.join('\n'));
    for (const id of ids) assert.equal(keys.filter((key) => key.includes(`/files/${id}/`)).length, 5);
    for await (const { key } of main.list(`tenants/${tenantId}/`))
      assert.fail(`${key} is in the default bucket`);

    const downloaded = await client.follow(`/files/${two.body.file_id}/download`);
    assert.equal(hash(downloaded.bytes), hash(large));
    const file = (await client.get(`/files/${one.body.file_id}`)).body;
    for (const url of [file.thumbnail_url, file.full_url, file.original_url]) {
      assert.equal(new URL(url).origin, store.endpoint);
      assert.equal((await fetch(url)).status, 200);
    }
    const listed = (await client.get('/files')).body.items;
    assert.ok(listed.every((item: Json) => new URL(item.thumbnail_url).origin === store.endpoint));
    await client.follow(`/files/${one.body.file_id}/variant/small_256`);
    assert.equal((await client.get(`/files/${one.body.file_id}/similar`)).status, 200);

    // Duplicates are found across stores.
    const again = await client.upload({ bytes: small, fields: { skip_duplicates: 'true' } });
    assert.deepEqual([again.body.skipped, again.body.storage_target], [true, 'custom']);
  });

  test('include the legacy presigned upload, which is confirmed and processed', async () => {
    const { client, bucket } = await configured();
    const bytes = await uniqueImage();
    const asked = await client.post('/uploads/request-presigned-url', {
      filename: 'a.jpg',
      content_type: 'image/jpeg',
      size_bytes: bytes.length,
      ...CUSTOM,
    });
    assert.equal(asked.status, 200, JSON.stringify(asked.body));
    const { upload_url, upload_headers, object_key, image_id } = asked.body;
    assert.deepEqual([asked.body.storage_target, asked.body.bucket_name], ['custom', bucket.bucket_name]);
    assert.equal(new URL(upload_url).origin, store.endpoint);
    assert.equal(
      (await fetch(upload_url, { method: 'PUT', body: bytes, headers: upload_headers })).status,
      200,
    );
    const confirmed = await client.post('/uploads/confirm', { object_key, size_bytes: bytes.length });
    assert.equal(confirmed.body.confirmed, true, JSON.stringify(confirmed.body));
    assert.ok(confirmed.body.storage_path.startsWith(`${bucket.bucket_name}/tenants/`));
    await client.settled(image_id);
    assert.equal(hash((await client.follow(`/files/${image_id}/download`)).bytes), hash(bytes));
    const prepared = await client.post('/uploads/batch-prepare', {
      files: [{ filename: 'a.jpg', content_type: 'image/jpeg', size_bytes: 10, ...CUSTOM }],
    });
    assert.deepEqual(refused(prepared), [400, 'STORAGE_NOT_CONFIGURED']);
  });

  test('need the target before the file, and a configuration', async () => {
    const { client } = await configured();
    const bytes = await uniqueImage();
    const form = () => {
      const late = new FormData();
      late.append('file', new Blob([bytes]), 'x.jpg');
      late.append('storage_target', 'custom');
      return late;
    };
    const late = await client.request('POST', '/files/upload', { body: form() });
    assert.deepEqual([late.status, late.body.errors?.[0].pointer], [422, '/form/storage_target']);
    const without = await logIn(orm, run);
    for (const target of [form(), undefined]) {
      const answer = target
        ? await without.client.request('POST', '/files/upload', { body: target })
        : await without.client.upload({ bytes: await uniqueImage(), fields: CUSTOM });
      assert.deepEqual(refused(answer), [400, 'STORAGE_NOT_CONFIGURED']);
    }
  });
});

describe('a bucket that is replaced or removed', () => {
  test('keeps its files readable, and its credentials until its last file is purged', async () => {
    const { client, tenantId, bucket } = await configured();
    const bytes = await uniqueImage();
    const old = await client.ingest({ bytes, fields: CUSTOM });
    await client.settled(old);
    const second = await store.createBucket(bucketName());
    const replaced = (await client.post(PATH, second)).body;
    assert.equal(replaced.bucket_name, second.bucket_name);
    assert.deepEqual(
      replaced.retired_buckets.map((one: Json) => one.bucket_name),
      [bucket.bucket_name],
    );
    const fresh = await client.ingest({ bytes: await uniqueImage(), fields: CUSTOM });
    await client.settled(fresh);
    assert.equal((await store.keysIn(second)).length, 5);

    const removed = (await client.delete(PATH)).body;
    assert.equal(removed.removed, true);
    assert.match(removed.message, /stay there and readable/);
    assert.deepEqual((await client.delete(PATH)).body.removed, false);
    const refusal = await client.upload({ bytes: await uniqueImage(), fields: CUSTOM });
    assert.deepEqual(refused(refusal), [400, 'STORAGE_NOT_CONFIGURED']);
    assert.equal((await client.upload({ bytes: await uniqueImage() })).body.storage_target, 'default');
    assert.equal(hash((await client.follow(`/files/${old}/download`)).bytes), hash(bytes));
    const types = (await em().find(AuditEvent, { tenantId }, { orderBy: { occurredAt: 'asc' } })).map(
      ({ eventType }) => eventType,
    );
    assert.deepEqual(types, ['storage.configured', 'storage.configured', 'storage.removed']);

    const backdate = { retiredAt: new Date(Date.now() - 86_400_000) };
    await em().nativeUpdate(StorageConfig, { tenantId }, backdate);
    await forgetRetiredStorage(em());
    assert.equal(await em().count(StorageConfig, { tenantId }), 2, 'both buckets hold files');
    await assert.rejects(em().nativeDelete(StorageConfig, { tenantId }), /foreign key/);
    await purge(old);
    assert.deepEqual(await store.keysIn(bucket), [], 'removed from its own bucket');
    assert.equal((await em().findOneOrFail(DeletionReceipt, { fileId: old })).objects, 5);
    await forgetRetiredStorage(em());
    const left = await em().find(StorageConfig, { tenantId });
    assert.deepEqual(
      left.map((one) => one.bucketName),
      [second.bucket_name],
    );

    // Configuring the same bucket again keeps its configuration.
    assert.equal((await client.post(PATH, second)).status, 201);
    assert.equal(await em().count(StorageConfig, { tenantId }), 1);
  });

  /** Purges a file as the schedule does, thirty days early. */
  async function purge(fileId: string): Promise<void> {
    const { tenantId } = await row(fileId);
    await em().nativeUpdate(StoredFile, { id: fileId }, { deletedAt: new Date() });
    await em().insert(FileRemoval, { fileId, beganAt: new Date(), objectKeys: [], vectors: 0 });
    await removeFileObjects({ em: em(), objects }, { fileId, tenantId });
    assert.ok(await removeFileRows(em(), { fileId, tenantId }));
  }

  test('documents in it are read and found', async () => {
    const { client, bucket } = await configured();
    const id = await client.ingest({ bytes: manual, filename: 'manual.md', fields: CUSTOM });
    const file = await client.settled(id);
    assert.equal(file.primary_status, 'completed', JSON.stringify(file));
    assert.match(file.extracted_text, /twenty-four months/);
    const keys = await store.keysIn(bucket);
    assert.ok(keys.includes((await row(id)).objectKey));
    assert.ok(keys.length > 1, 'the pictures of its first page are elsewhere');
    assert.equal(hash(Buffer.from(await (await fetch(file.document_url)).arrayBuffer())), hash(manual));
    const { body } = await client.post('/files/search', { query: 'How long is the warranty?' });
    assert.equal(body.items[0]?.document_id, id);
  });

  test('does not block the purge of a file when it was removed itself', async () => {
    const { client, bucket } = await configured();
    // With a key of this bucket alone, the store may refuse access before it looks for the bucket.
    assert.equal((await client.post(PATH, { ...bucket, ...store.adminKey })).status, 201);
    const fileId = await client.ingest({ bytes: await uniqueImage(), fields: CUSTOM });
    await client.settled(fileId);
    await store.admin.removeObjects(bucket.bucket_name, await store.keysIn(bucket));
    await store.admin.removeBucket(bucket.bucket_name);
    assert.match((await client.post(`${PATH}/validate`, {})).body.error, /does not exist/);
    await purge(fileId);
  });
});

describe('credentials that are revoked', () => {
  test('fail uploads with the reason, hold work until they are renewed, and do not affect other tenants', async () => {
    const { client, tenantId, bucket } = await configured();
    const other = await configured();
    const before = await client.ingest({ bytes: await uniqueImage(), fields: CUSTOM });
    await client.settled(before);
    await store.revokeKey(bucket);

    const single = await client.upload({ bytes: await uniqueImage(), fields: CUSTOM });
    assert.deepEqual(refused(single), [424, 'STORAGE_REJECTED']);
    assert.ok(single.headers.get('retry-after'));
    const large = await client.upload({ bytes: await paddedImage(11 * 2 ** 20), fields: CUSTOM });
    assert.deepEqual(refused(large), [424, 'STORAGE_REJECTED']);
    const batch = await client.batch(
      [{ bytes: await uniqueImage() }, { bytes: await uniqueImage() }],
      CUSTOM,
    );
    assert.equal(batch.body.status, 'rejected', JSON.stringify(batch.body));
    for (const { code, retryable } of batch.body.rejections)
      assert.deepEqual([code, retryable], ['STORAGE_REJECTED', true]);
    const checked = (await client.post(`${PATH}/validate`, {})).body;
    assert.equal(checked.valid, false);
    const shown = (await client.get(PATH)).body;
    assert.deepEqual([shown.is_validated, shown.error], [false, checked.error]);
    assert.ok(!JSON.stringify([single.body, checked, batch.body]).includes(bucket.access_key_id));
    // The service itself is healthy.
    assert.equal((await client.get(`${client.origin}/readyz`)).status, 200);
    assert.equal((await client.upload({ bytes: await uniqueImage() })).status, 201);
    const theirs = await other.client.ingest({ bytes: await uniqueImage(), fields: CUSTOM });
    assert.equal((await other.client.settled(theirs)).primary_status, 'completed');

    // Work on existing files waits.
    await client.post(`/files/${before}/trigger-variants`, {});
    const waiting = await eventually(async () => {
      const { body } = await client.get(`/files/${before}/timeline`);
      assert.match(body.explanation, /the bucket of this account cannot be used/);
      return body;
    });
    assert.equal(waiting.primary_status, 'processing');
    const steps = waiting.runs.at(-1).steps as Json[];
    assert.ok(
      steps.some(({ error }) => error?.code === 'STORAGE_REJECTED'),
      JSON.stringify(steps),
    );

    const claimed = originalKey({ tenantId, storageConfigId: await configId(tenantId) }, randomUUID(), 'a');
    await claimObject(em(), claimed);
    // Not a later `now`, which would remove the objects that other tests are uploading.
    const claimedAt = new Date(Date.now() - 3 * 3_600_000);
    await em().nativeUpdate(ClaimedObject, { objectKey: claimed }, { claimedAt });
    await removeAbandonedObjects({ em: em(), objects });
    assert.equal(await em().count(ClaimedObject, { objectKey: claimed }), 1, 'left until the bucket works');

    const renewed = await store.renewKey(bucket);
    assert.equal((await client.post(PATH, renewed)).status, 201);
    assert.equal(await em().count(StorageConfig, { tenantId }), 1, 'the same configuration');
    assert.equal((await client.settled(before, 90)).primary_status, 'completed');
    assert.equal((await client.upload({ bytes: await uniqueImage(), fields: CUSTOM })).status, 201);
    await em().nativeDelete(ClaimedObject, { objectKey: claimed });
  });

  const configId = async (tenantId: string) => (await em().findOneOrFail(StorageConfig, { tenantId })).id;
});

describe('the encryption key', () => {
  test('is rotated by a command that can be repeated, and a missing former key is reported', async () => {
    const { client, tenantId } = await configured();
    const fileId = await client.ingest({ bytes: await uniqueImage(), fields: CUSTOM });
    const next = { id: 'k2', bytes: randomBytes(32) };
    const current = config.ENCRYPTION_KEY;
    const keyOf = async () => (await em().findOneOrFail(StorageConfig, { tenantId })).encryptionKeyId;
    const rotate = (to: EncryptionKey, ...from: EncryptionKey[]) =>
      rotateEncryptionKey(em(), createSecretCipher({ ENCRYPTION_KEY: to, ENCRYPTION_FORMER_KEYS: from }));

    const { unreadable } = await rotate(next);
    const own = unreadable.find((one) => one.tenantId === tenantId);
    assert.match(own?.reason ?? '', /no encryption key "k1" is configured/);
    assert.equal(await keyOf(), 'k1');
    try {
      const env = {
        ...process.env,
        ENCRYPTION_KEY: `k2:${next.bytes.toString('base64')}`,
        ENCRYPTION_FORMER_KEYS: process.env['ENCRYPTION_KEY'],
      };
      const command = ['cli/admin/main.ts', 'rotate-encryption-key'];
      const { stdout } = await promisify(execFile)(process.execPath, command, { env });
      assert.match(stdout, /Done: \d+ secrets encrypted with key "k2"\. Former keys are no longer needed/);
      assert.equal(await keyOf(), 'k2');
      assert.equal((await rotate(next, current)).rotated, 0);

      // The API has only the former key. It keeps its open stores until their configuration changes.
      const shown = (await client.get(PATH)).body;
      assert.deepEqual([shown.configured, shown.is_validated], [true, false]);
      assert.match(shown.error, /cannot be decrypted/);
      assert.equal((await client.post(`${PATH}/validate`, {})).body.valid, false);
      await em().nativeUpdate(StorageConfig, { tenantId }, { version: 2 });
      await eventually(async () => {
        const answer = await client.upload({ bytes: await uniqueImage(), fields: CUSTOM });
        assert.deepEqual(refused(answer), [503, 'ENCRYPTION_KEY_UNKNOWN']);
      });
    } finally {
      await rotate(current, next);
    }
    assert.equal(await keyOf(), 'k1');
    await eventually(async () => assert.equal((await client.get(`/files/${fileId}/download`)).status, 302));
  });

  test('binds credentials to their tenant', async () => {
    const [one, two] = [await configured(), await configured()];
    const { credentials } = await em().findOneOrFail(StorageConfig, { tenantId: one.tenantId });
    await em().nativeUpdate(StorageConfig, { tenantId: two.tenantId }, { credentials });
    assert.match((await two.client.get(PATH)).body.error, /cannot be decrypted/);
  });
});

describe('a mounted store', () => {
  let bucket: OwnBucket;
  before(async () => {
    bucket = await store.createBucket(bucketName());
  });
  const open = async () => {
    const { endpoint, region, bucket_name: bucketName, ...keys } = bucket;
    const credentials = { accessKeyId: keys.access_key_id, secretAccessKey: keys.secret_access_key };
    return openBucket({ endpoint, region, bucketName }, credentials, guard);
  };
  const explain = (error: unknown) => error;
  const limits = { maxListed: 10_000, readWithinMs: 10_000, streamWithinMs: 10_000 };
  objectStoreContract(() => mountStores(main, () => ({ id: 'own', open, explain, ...limits })));
});
