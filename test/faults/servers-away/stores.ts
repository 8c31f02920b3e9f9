import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../support/api.ts';
import { decodersOf } from '../../support/decoder-processes.ts';
import { demoPicture, slowPicture } from '../../support/pictures.ts';
import { NOTHING_TWICE, storedFacts } from '../../support/stored-facts.ts';
import { own } from './stack.ts';

/** Files that are worked on while the object store or the database is away. */
const { stack, orm } = own;
const { client, ingest, timeline } = await own.newTenant();

test('an object store that is away for a while delays a file and fails none', async () => {
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

test('a database that is away for a while delays a file and fails none', async () => {
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
