import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../support/api.ts';
import { decodersOf } from '../../support/child-processes.ts';
import { demoPicture, slowPicture } from '../../support/pictures.ts';
import { NOTHING_TWICE, storedFacts } from '../../support/stored-facts.ts';
import { own } from './stack.ts';

/** Files in progress while the object store or the database is down. */
const { stack, orm } = own;
const { client, ingest, timeline } = await own.newTenant();

test('an outage of the object store delays files but fails none', async () => {
  const id = await ingest(await slowPicture());
  await eventually(async () => assert.equal(decodersOf(id).length, 1));
  await stack.kill('s3');
  await eventually(
    async () =>
      assert.match((await timeline(id)).explanation, /the object store cannot be reached, attempt 4/),
    60,
  );
  const refused = await client.upload({ bytes: demoPicture('coffee.jpg') });
  assert.deepEqual([refused.status, refused.body.code], [503, 'SERVICE_UNAVAILABLE']);
  assert.equal((await client.get(`${client.origin}/readyz`)).status, 503);
  await stack.start('s3');
  assert.equal((await client.settled(id, 90)).primary_status, 'completed');
});

test('an outage of the database delays files but fails none', async () => {
  const id = await ingest(await slowPicture());
  await eventually(async () => assert.equal(decodersOf(id).length, 1));
  await stack.kill('postgres');
  const refused = await client.get('/files');
  assert.deepEqual([refused.status, refused.body.code], [503, 'SERVICE_UNAVAILABLE']);
  await eventually(async () => assert.deepEqual(decodersOf(id), []), 60);
  await stack.start('postgres');
  assert.equal((await client.settled(id, 90)).primary_status, 'completed');
  assert.deepEqual(await storedFacts(orm.em.fork(), id), NOTHING_TWICE);
});
