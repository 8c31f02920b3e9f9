import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gatherWrites } from '../../../adapters/vector-index/gather-writes.ts';

/** A writer whose writes end when they are told to. */
function scripted(mostAtOnce = 10) {
  const writes: { items: string[]; end: PromiseWithResolvers<void> }[] = [];
  const gathered = gatherWrites<string>((items) => {
    const end = Promise.withResolvers<void>();
    writes.push({ items, end });
    return end.promise;
  }, mostAtOnce);
  return { writes, gathered };
}

test('what arrives during a write goes together with the next', async () => {
  const { writes, gathered } = scripted();
  const first = gathered(['a']);
  const rest = Promise.all([gathered(['b']), gathered(['c', 'd'])]);
  writes[0]?.end.resolve();
  await first;
  assert.deepEqual(
    writes.map(({ items }) => items),
    [['a'], ['b', 'c', 'd']],
  );
  writes[1]?.end.resolve();
  await rest;
  const later = gathered(['e']);
  assert.deepEqual(writes[2]?.items, ['e']);
  writes[2]?.end.resolve();
  await later;
});

test('a write that fails fails for those whose items were in it, and for no other', async () => {
  const { writes, gathered } = scripted();
  const first = gathered(['a']);
  const second = gathered(['b']);
  writes[0]?.end.reject(new Error('disk full'));
  await assert.rejects(first, /disk full/);
  writes[1]?.end.resolve();
  await second;
});

test('one write takes no more callers than it may', async () => {
  const { writes, gathered } = scripted(2);
  const all = ['a', 'b', 'c', 'd'].map((item) => gathered([item]));
  for (const index of [0, 1, 2]) {
    writes[index]?.end.resolve();
    await all[index];
  }
  await Promise.all(all);
  assert.deepEqual(
    writes.map(({ items }) => items),
    [['a'], ['b', 'c'], ['d']],
  );
});
