import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../support/api.ts';
import { decodersOf } from '../../support/decoder-processes.ts';
import { replies } from '../../support/model-server.ts';
import { demoPicture, slowPicture } from '../../support/pictures.ts';
import { NOTHING_TWICE, storedFacts } from '../../support/stored-facts.ts';
import { own } from './stack.ts';

/** Workers and decoders that are killed while processing a file. */
const { stack, orm, model } = own;
const { client, ingest, timeline } = await own.newTenant();

test('a file whose worker is killed during decoding completes without duplicates', async () => {
  const id = await ingest(await slowPicture());
  await eventually(async () => assert.equal(decodersOf(id).length, 1));
  await stack.kill('worker-cpu');
  await eventually(async () => assert.deepEqual(decodersOf(id), [], 'a decoder outlived its worker'));
  await stack.start('worker-cpu');
  assert.equal((await client.settled(id, 90)).primary_status, 'completed');
  assert.deepEqual(await storedFacts(orm.em.fork(), id), NOTHING_TWICE);
  const [step] = (await timeline(id)).runs[0].steps;
  assert.equal(step.attempt, 2);
  assert.equal(step.error.code, 'WORKER_LOST');
});

test('a file whose worker is killed during the model call completes with one stored reply', async () => {
  model.next(replies.hang());
  const asked = model.requests.length;
  const id = await ingest(demoPicture('chelsea.jpg'));
  await eventually(async () => assert.ok(model.requests.length > asked));
  await stack.kill('worker');
  await stack.start('worker');
  assert.equal((await client.settled(id, 90)).primary_status, 'completed');
  assert.deepEqual(await storedFacts(orm.em.fork(), id), NOTHING_TWICE);
});

test('a file that kills its decoder three times ends failed, while others proceed', async () => {
  const id = await ingest(await slowPicture());
  const killed = new Set<number>();
  const executioner = eventually(async () => {
    for (const pid of decodersOf(id)) {
      if (!killed.has(pid)) process.kill(pid, 'SIGKILL');
      killed.add(pid);
    }
    assert.equal(killed.size, 3);
  }, 60);
  const others = await Promise.all(
    ['coffee.jpg', 'chelsea.jpg', 'rocket.jpg'].map((name) => ingest(demoPicture(name))),
  );
  for (const other of others) assert.equal((await client.settled(other)).primary_status, 'completed');
  await executioner;
  const file = await client.settled(id);
  assert.equal(file.primary_status, 'failed');
  const { runs, explanation } = await timeline(id);
  assert.equal(runs[0].steps[0].attempt, 3);
  assert.equal(runs[0].steps[0].error.code, 'DECODER_CRASHED');
  assert.match(explanation, /^Variants failed: /);
  for (const other of others) assert.equal((await timeline(other)).runs[0].steps[0].attempt, 1);
});

test('a worker that is stopped gracefully finishes its running step', async () => {
  const id = await ingest(await slowPicture());
  await eventually(async () => assert.equal(decodersOf(id).length, 1));
  await stack.restart('worker-cpu');
  assert.equal((await client.settled(id)).primary_status, 'completed');
  assert.equal((await timeline(id)).runs[0].steps[0].attempt, 1);
});
