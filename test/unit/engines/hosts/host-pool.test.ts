import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHostPool, type PooledHost } from '../../../../engines/hosts/host-pool.ts';

interface Child extends PooledHost {
  name: number;
  document: string | undefined;
  low: boolean;
  killed: boolean;
}

/** A pool of children that remember their last document. */
function createPool(slots: number) {
  const children: Child[] = [];
  const pool = createHostPool<Child>({ slots }, () => {
    const child: Child = {
      name: children.length,
      document: undefined,
      low: false,
      killed: false,
      isFit: () => !child.killed,
      hasLowPriority: () => child.low,
      kill: async () => void (child.killed = true),
    };
    children.push(child);
    return child;
  });
  const read = (document: string, long = false) =>
    pool.run(
      'tenant',
      undefined,
      async (child) => {
        child.document = document;
        child.low ||= long;
        return child.name;
      },
      (child) => child.document === document,
    );
  return { children, read };
}

test('a child with lowered priority continues with its document and takes no other', async () => {
  const { children, read } = createPool(1);
  assert.equal(await read('book', true), 0);
  assert.equal(await read('book'), 0);
  assert.equal(await read('letter'), 1);
  assert.equal(children[0]?.killed, true);
  assert.equal(await read('book'), 1);
});

test('an idle child that prefers the work is chosen', async () => {
  const { read } = createPool(2);
  const [first, second] = await Promise.all([read('a'), read('b')]);
  assert.notEqual(first, second);
  assert.equal(await read('a'), first);
  assert.equal(await read('b'), second);
});
