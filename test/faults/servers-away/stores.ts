import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../support/api.ts';
import { decodersOf } from '../../support/child-processes.ts';
import { replies, type ModelReply } from '../../support/model-server.ts';
import { demoImage, slowImage } from '../../support/images.ts';
import { NO_DUPLICATES, storedFacts } from '../../support/stored-facts.ts';
import { own } from './stack.ts';
import { FILE_WORKFLOWS } from '../../../temporal/contract/process-file.ts';

/** Files in progress while the object store or the database is down. */
const { stack, orm, engine, model } = own;
const { client, ingest, timeline } = await own.newTenant();

test('an outage of the object store delays files but fails none', async () => {
  const id = await ingest(await slowImage());
  await eventually(async () => assert.equal(decodersOf(id).length, 1));
  await stack.kill('s3');
  await eventually(
    async () =>
      assert.match((await timeline(id)).explanation, /the object store cannot be reached, attempt 4/),
    60,
  );
  const refused = await client.upload({ bytes: demoImage('coffee.jpg') });
  assert.deepEqual([refused.status, refused.body.code], [503, 'SERVICE_UNAVAILABLE']);
  assert.equal((await client.get(`${client.origin}/readyz`)).status, 503);
  await stack.start('s3');
  assert.equal((await client.settled(id, 90)).primary_status, 'completed');
});

test('an outage of the database delays files but fails none', async () => {
  const id = await ingest(await slowImage());
  await eventually(async () => assert.equal(decodersOf(id).length, 1));
  await stack.kill('postgres');
  const refused = await client.get('/files');
  assert.deepEqual([refused.status, refused.body.code], [503, 'SERVICE_UNAVAILABLE']);
  await eventually(async () => assert.deepEqual(decodersOf(id), []), 60);
  await stack.start('postgres');
  assert.equal((await client.settled(id, 90)).primary_status, 'completed');
  assert.deepEqual(await storedFacts(orm.em.fork(), id), NO_DUPLICATES);
});

test('an answer of the model that arrives during an outage of the database is stored and not requested again', async () => {
  const asked = Promise.withResolvers<Parameters<ModelReply>>();
  model.next((...call) => asked.resolve(call));
  const id = await ingest(demoImage('coffee.jpg'));
  const call = await asked.promise;
  const calls = model.requests.length;
  await stack.kill('postgres');
  replies.ok()(...call);
  const run = engine.client.workflow.getHandle(FILE_WORKFLOWS.of(id));
  await eventually(async () => {
    const [activity] = (await run.describe()).raw.pendingActivities ?? [];
    assert.ok((activity?.attempt ?? 0) > 1, 'the first attempt has not failed yet');
  }, 60);
  await stack.start('postgres');
  assert.equal((await client.settled(id, 90)).primary_status, 'completed');
  assert.deepEqual(await storedFacts(orm.em.fork(), id), NO_DUPLICATES);
  assert.equal(model.requests.length, calls);
});
