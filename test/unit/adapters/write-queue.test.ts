import assert from 'node:assert/strict';
import { setImmediate as settled } from 'node:timers/promises';
import { test } from 'node:test';
import { createWriteQueue } from '../../../adapters/write-queue.ts';

/** A queue whose writes and other work end on demand. `begun` lists what has started, in order. */
function scripted(mostAtOnce = 10) {
  const begun: string[] = [];
  const ends: PromiseWithResolvers<void>[] = [];
  const begin = (what: string) => {
    begun.push(what);
    const end = Promise.withResolvers<void>();
    ends.push(end);
    return end.promise;
  };
  const queue = createWriteQueue<string>((items) => begin(items.join('+')), mostAtOnce);
  const end = async (failure?: Error) => {
    const current = ends.shift();
    if (failure) current?.reject(failure);
    else current?.resolve();
    await settled();
  };
  return { queue, run: (what: string) => queue.run(() => begin(what)), begun, end };
}

test('items added during a write are batched into the next one', async () => {
  const { queue, begun, end } = scripted();
  const first = queue.add(['a']);
  await settled();
  const rest = Promise.all([queue.add(['b']), queue.add(['c', 'd'])]);
  await end();
  await first;
  assert.deepEqual(begun, ['a', 'b+c+d']);
  await end();
  await rest;
  const later = queue.add(['e']);
  await settled();
  assert.deepEqual(begun, ['a', 'b+c+d', 'e']);
  await end();
  await later;
});

test('a failed write rejects only the callers whose items were in it', async () => {
  const { queue, end } = scripted();
  const first = queue.add(['a']);
  await settled();
  const second = queue.add(['b']);
  await Promise.all([assert.rejects(first, /disk full/), end(new Error('disk full'))]);
  await end();
  await second;
});

test('a write covers at most the maximum number of callers', async () => {
  const { queue, begun, end } = scripted(2);
  const all = Promise.all(['a', 'b', 'c'].map((item) => queue.add([item])));
  await settled();
  for (let writes = 0; writes < 2; writes += 1) await end();
  await all;
  assert.deepEqual(begun, ['a+b', 'c']);
});

test('other work runs exclusively and in order', async () => {
  const { queue, run, begun, end } = scripted();
  const all = Promise.all([queue.add(['a']), run('remove'), queue.add(['b']), queue.add(['c'])]);
  await settled();
  for (const soFar of [['a'], ['a', 'remove'], ['a', 'remove', 'b+c']]) {
    assert.deepEqual(begun, soFar);
    await end();
  }
  await all;
});

test('failed work does not block the queue', async () => {
  const { queue, run, begun, end } = scripted();
  const failing = assert.rejects(run('remove'), /disk full/);
  const added = queue.add(['a']);
  await settled();
  await end(new Error('disk full'));
  await failing;
  await end();
  await added;
  assert.deepEqual(begun, ['remove', 'a']);
});
