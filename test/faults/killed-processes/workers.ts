import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { eventually, type Json } from '../../support/api.ts';
import { decodersOf } from '../../support/child-processes.ts';
import { replies } from '../../support/model-server.ts';
import { demoImage, slowImage } from '../../support/images.ts';
import { NO_DUPLICATES, storedFacts } from '../../support/stored-facts.ts';
import { own } from './stack.ts';

const STALLING_WORKER = fileURLToPath(new URL('../../support/stalling-worker.ts', import.meta.url));

/** Workers and decoders killed while they process a file. */
const { stack, orm, model } = own;
const { client, ingest, timeline } = await own.newTenant();

test('a file whose worker is killed during decoding completes without duplicates', async () => {
  const id = await ingest(await slowImage());
  await eventually(async () => assert.equal(decodersOf(id).length, 1));
  await stack.kill('worker-cpu');
  await eventually(async () => assert.deepEqual(decodersOf(id), [], 'a decoder outlived its worker'));
  await stack.start('worker-cpu');
  assert.equal((await client.settled(id, 90)).primary_status, 'completed');
  assert.deepEqual(await storedFacts(orm.em.fork(), id), NO_DUPLICATES);
  const [lost, again] = (await timeline(id)).runs[0].steps;
  assert.deepEqual([lost.step, lost.outcome, lost.error.code], ['renderVariants', 'failed', 'WORKER_LOST']);
  assert.deepEqual([again.step, again.outcome, again.attempt], ['renderVariants', 'completed', 1]);
});

test('files whose worker is killed at any step of the fast path complete without duplicates', async () => {
  await stack.kill('worker-cpu', 'SIGTERM');
  await eventually(async () => assert.equal(stack.pid('worker-cpu'), undefined));
  const places = ['renderVariants', 'readText', 'describeImage', 'indexImage', 'recorded'];
  const parts = new Map<string, string>();
  for (const place of places) parts.set(await ingest(demoImage('chelsea.jpg')), place);
  const doomed = spawn(process.execPath, [STALLING_WORKER, JSON.stringify(Object.fromEntries(parts))], {
    env: { ...process.env, ...stack.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const reached = new Set<string>();
  createInterface(doomed.stdout).on('line', (id) => reached.add(id));
  await eventually(async () => assert.deepEqual(reached, new Set(parts.keys())), 60);
  doomed.kill('SIGKILL');
  await stack.start('worker-cpu');

  for (const [id, place] of parts) {
    assert.equal((await client.settled(id, 90)).primary_status, 'completed', place);
    assert.deepEqual(await storedFacts(orm.em.fork(), id), NO_DUPLICATES, place);
    const { steps } = (await timeline(id)).runs[0];
    const [lost] = steps;
    if (place === 'recorded') assert.ok(steps.every(({ outcome }: Json) => outcome === 'completed'));
    else assert.deepEqual([lost.outcome, lost.error.code], ['failed', 'WORKER_LOST'], place);
    assert.deepEqual(
      steps.filter(({ outcome }: Json) => outcome === 'completed').map(({ step }: Json) => step),
      ['renderVariants', 'readText', 'describeImage', 'indexImage'],
      place,
    );
  }
});

test('a file whose worker is killed during the model call completes, and one reply is stored', async () => {
  model.next(replies.hang());
  const asked = model.requests.length;
  const id = await ingest(demoImage('chelsea.jpg'));
  await eventually(async () => assert.ok(model.requests.length > asked));
  await stack.kill('worker');
  await stack.start('worker');
  assert.equal((await client.settled(id, 90)).primary_status, 'completed');
  assert.deepEqual(await storedFacts(orm.em.fork(), id), NO_DUPLICATES);
});

test('a file that crashes its decoder three times fails, and other files proceed', async () => {
  const id = await ingest(await slowImage());
  const killed = new Set<number>();
  const executioner = eventually(async () => {
    for (const pid of decodersOf(id)) {
      if (!killed.has(pid)) process.kill(pid, 'SIGKILL');
      killed.add(pid);
    }
    // The attempt of the fast path is not counted.
    assert.equal(killed.size, 4);
  }, 60);
  const others = await Promise.all(
    ['coffee.jpg', 'chelsea.jpg', 'rocket.jpg'].map((name) => ingest(demoImage(name))),
  );
  for (const other of others) assert.equal((await client.settled(other)).primary_status, 'completed');
  await executioner;
  const file = await client.settled(id);
  assert.equal(file.primary_status, 'failed');
  const { runs, explanation } = await timeline(id);
  const [step] = runs[0].steps;
  assert.deepEqual([step.step, step.attempt, step.error.code], ['renderVariants', 3, 'DECODER_CRASHED']);
  assert.match(explanation, /^Variants failed: /);
  for (const other of others) assert.equal((await timeline(other)).runs[0].steps[0].attempt, 1);
});

test('a worker that is stopped gracefully finishes its running step', async () => {
  const id = await ingest(await slowImage());
  await eventually(async () => assert.equal(decodersOf(id).length, 1));
  await stack.restart('worker-cpu');
  assert.equal((await client.settled(id)).primary_status, 'completed');
  assert.equal((await timeline(id)).runs[0].steps[0].attempt, 1);
});
