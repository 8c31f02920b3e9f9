import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { auditStack } from '../../support/audit-stack.ts';
import { demoImage } from '../../support/images.ts';
import { own } from './stack.ts';

/** Runs after all other tests in this folder. */
const { orm, objects } = own;
const { audited, vectors } = auditStack(own);

test('an audit reports breaches of an invariant', async () => {
  // When this module runs alone, there are no other files.
  const { ingest, client } = await own.newTenant();
  const [first, second] = [await ingest(demoImage('coffee.jpg')), await ingest(demoImage('rocket.jpg'))];
  for (const id of [first, second]) await client.settled(id);
  const em = orm.em.fork();
  const { objectKey, tenantId } = await em.findOneOrFail(StoredFile, first);
  await objects.remove([objectKey]);
  await objects.put(`tenants/${tenantId}/files/stray`, Buffer.from('x'), { contentType: 'text/plain' });
  await objects.initiateMultipart(`tenants/${tenantId}/files/parts`, { contentType: 'text/plain' });
  await vectors.remove({ tenantId, fileIds: [second] });
  await em.execute('update credit_balances set used = used + 1 where tenant_id = ?', [tenantId]);
  await em.execute(`update files set primary_status = 'processing', object_key = 'elsewhere' where id = ?`, [
    second,
  ]);
  for (const [id, what] of [
    ['I1', first],
    ['I2', 'stray'],
    ['I6', tenantId],
    ['I8', 'elsewhere'],
    ['I10', 'parts'],
    ['I11', second],
  ] as const) {
    assert.match((await audited(id)).join('\n'), new RegExp(what), id);
  }
  await em.execute(`update files set primary_status = 'completed' where id = ?`, [second]);
  assert.match((await audited('I7')).join('\n'), new RegExp(second));
});
