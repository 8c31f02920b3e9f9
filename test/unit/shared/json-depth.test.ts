import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { jsonDepth } from '../../../domain/json-depth.ts';

test('the depth of a value is that of its deepest part', () => {
  assert.deepEqual([1, null, 'x', {}, [], { a: 1 }].map(jsonDepth), [0, 0, 0, 1, 1, 1]);
  assert.equal(jsonDepth({ a: [{ b: 1 }], c: 2 }), 3);
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      assert.equal(jsonDepth({ one, list: [other] }), 1 + Math.max(jsonDepth(one), 1 + jsonDepth(other)));
    }),
  );
});

test('a value of any depth is measured without a stack overflow', () => {
  const deep: unknown = JSON.parse(`${'['.repeat(30_000)}${']'.repeat(30_000)}`);
  assert.equal(jsonDepth(deep), 30_000);
});
