import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { IMPORT_WORKFLOWS } from '../../../temporal/contract/import-files.ts';
import { eventually, type Json } from '../../support/api.ts';
import { startFaultyBucket } from '../../support/faulty-bucket.ts';
import { uniqueImage } from '../../support/images.ts';
import { logIn } from '../../support/login.ts';
import { own } from './stack.ts';

/** Workers killed, and runs terminated, while files are imported from a bucket. */
const { stack, orm, engine, objects } = own;
const bucket = await startFaultyBucket();
after(() => bucket.close());

const FILES = 120;

/** A tenant with a bucket of its own prefix, in which one object hangs until it is asked for again. */
async function begun(files: number): Promise<{ client: Json; tenantId: string; id: string; prefix: string }> {
  const { client, tenantId } = await own.newTenant();
  const { client: admin } = await logIn(orm, stack.runInfo, { tenantId });
  const prefix = `${tenantId}/`;
  for (let i = 0; i < files; i += 1) bucket.objects.set(`${prefix}${i}.jpg`, { bytes: await uniqueImage() });
  const address = { bucket_name: 'killed', region: 'us-east-1', endpoint: bucket.endpoint };
  const { body: connection } = await admin.post('/connections', { provider: 's3', ...address });
  const source = { type: 'bucket', connection_id: connection.id, prefix };
  const { status, body } = await client.post('/imports', { source, auto_describe: false });
  assert.equal(status, 202, JSON.stringify(body));
  return { client, tenantId, id: body.id, prefix };
}

test('an import whose worker is killed again and again loses no file and makes none twice', async () => {
  const { client, tenantId, id } = await begun(FILES);
  for (const reached of [1, 30, 60]) {
    await eventually(async () => {
      const { body } = await client.get(`/imports/${id}`);
      assert.ok(body.imported >= reached, JSON.stringify(body));
    }, 120);
    await stack.kill('worker');
    await stack.start('worker');
  }
  const ended = await eventually(async () => {
    const { body } = await client.get(`/imports/${id}`);
    assert.equal(body.status, 'completed', JSON.stringify(body));
    return body;
  }, 180);
  const { found, imported, skipped, failed } = ended;
  assert.deepEqual(
    { found, imported, skipped, failed },
    { found: FILES, imported: FILES, skipped: 0, failed: 0 },
  );
  const files = await orm.em
    .fork()
    .execute<{ id: string; sha256: string; object_key: string }[]>(
      'select id, sha256, object_key from files where tenant_id = ?',
      [tenantId],
    );
  assert.deepEqual([files.length, new Set(files.map(({ sha256 }) => sha256)).size], [FILES, FILES]);
  for (const { object_key: key } of files) assert.ok(await objects.stat(key), `${key} is missing`);
});

test('an import whose run is terminated fails with the reason, with every worker dead, and is resumed', async () => {
  const { client, id, prefix } = await begun(3);
  const object = bucket.objects.get(`${prefix}1.jpg`);
  assert.ok(object);
  object.fault = 'hangs';
  await eventually(async () => assert.ok((bucket.reads.get(`${prefix}1.jpg`) ?? 0) > 0), 60);
  await stack.kill('worker');
  try {
    await engine.client.workflow.getHandle(IMPORT_WORKFLOWS.of(id)).terminate('an operator said so');
    await eventually(async () => {
      const { body } = await client.get(`/imports/${id}`);
      assert.deepEqual([body.status, body.reason?.code], ['failed', 'WORKFLOW_TERMINATED']);
    });
  } finally {
    await stack.start('worker');
  }
  delete object.fault;
  assert.equal((await client.post(`/imports/${id}/resume`, {})).status, 200);
  await eventually(async () => {
    const { body } = await client.get(`/imports/${id}`);
    assert.deepEqual([body.status, body.imported], ['completed', 3], JSON.stringify(body));
  }, 60);
});
