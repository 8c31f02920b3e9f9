import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../support/api.ts';
import { removeSeeded, seedDescriptions } from '../../support/seed-descriptions.ts';
import { own } from './stack.ts';

/** Some megabytes, which are a handful of parts. */
const RECORDS = 25_000;

/** Workers killed while they write an export. */
const { stack, orm } = own;

test('an export whose worker is killed continues after its last part, without duplicate or missing records', async (t) => {
  const { tenantId, client } = await own.newTenant();
  t.after(() => removeSeeded(orm, tenantId));
  await seedDescriptions(orm, tenantId, RECORDS);
  const { body: begun } = await client.post('/data/export', { format: 'jsonl', fields: ['image_id'] });
  const id = begun.export_id as string;
  const { body: full } = await client.post('/data/export', { format: 'jsonl' });
  await eventually(async () => {
    const rows = await orm.em
      .fork()
      .execute<{ parts: number }[]>('select count(*)::int as parts from export_parts where export_id = ?', [
        full.export_id,
      ]);
    assert.ok((rows[0]?.parts ?? 0) > 0, 'no part is written yet');
  }, 60);
  await stack.kill('worker');
  await stack.start('worker');
  for (const exportId of [id, full.export_id]) {
    const record = await eventually(async () => {
      const { body } = await client.get(`/data/export/${exportId}`);
      assert.equal(body.status, 'completed', JSON.stringify(body));
      return body;
    }, 120);
    assert.equal(record.record_count, RECORDS);
    const lines = (await (await fetch(record.download_url)).text()).trimEnd().split('\n');
    const ids = new Set(lines.map((line) => (JSON.parse(line) as { image_id: string }).image_id));
    assert.deepEqual([lines.length, ids.size], [RECORDS, RECORDS]);
  }
});

test('a cancelled export leaves no parts and reports the cancellation', async (t) => {
  const { tenantId, client } = await own.newTenant();
  t.after(() => removeSeeded(orm, tenantId));
  await seedDescriptions(orm, tenantId, RECORDS);
  const { body: begun } = await client.post('/data/export', { format: 'csv' });
  const { status, body } = await client.delete(`/data/export/${begun.export_id}`);
  assert.deepEqual([status, body.status, body.error_message], [200, 'failed', 'the export was cancelled']);
  await eventually(async () => {
    const prefix = `tenants/${tenantId}/exports/`;
    for await (const upload of own.objects.listIncompleteUploads(prefix)) assert.fail(upload.key);
    for await (const object of own.objects.list(prefix)) assert.fail(object.key);
    const { status: run } = await own.engine.client.workflow
      .getHandle(`export/${begun.export_id}`)
      .describe();
    assert.notEqual(run.name, 'RUNNING');
  }, 60);
});
