import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  layer,
  mergeCorrections,
  unknownPaths,
  replaceAt,
  sameJson,
  valueAt,
} from '../../../domain/extractions/corrections.ts';

/** Keys as in schemas: paths cannot address a key with a dot. */
const key = fc.constantFrom('a', 'b', 'items', '0', 'constructor', 'toString', '__proto__');
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, 1, 'text'),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(key, tie('json'), { maxKeys: 3 }),
  ),
}));

/** All paths that lead to a value. */
function pathsOf(value: unknown, prefix: readonly string[] = []): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, child]) => {
    const path = [...prefix, name];
    return [path.join('.'), ...pathsOf(child, path)];
  });
}

test('a path leads only to own properties of a value', () => {
  fc.assert(
    fc.property(json, fc.array(key, { minLength: 1, maxLength: 4 }), (value, segments) => {
      const paths = pathsOf(value);
      for (const path of paths) assert.ok(valueAt(value, path), path);
      const given = segments.join('.');
      assert.equal(valueAt(value, given) !== undefined, paths.includes(given));
    }),
  );
});

test('replacing changes only the value at the path, and no prototype', () => {
  fc.assert(
    fc.property(json, fc.nat(), (value, pick) => {
      const paths = pathsOf(value);
      const path = paths[pick % Math.max(1, paths.length)];
      if (path === undefined) return;
      const before = structuredClone(value);
      const changed = replaceAt(value, path, 'new');
      assert.ok(sameJson(value, before), 'the original must not change');
      assert.equal(valueAt(changed, path)?.value, 'new');
      const beside = paths.filter(
        (one) => !`${one}.`.startsWith(`${path}.`) && !`${path}.`.startsWith(`${one}.`),
      );
      for (const one of beside) assert.deepEqual(valueAt(changed, one), valueAt(value, one));
      assert.equal(({} as Record<string, unknown>)['a'], undefined);
    }),
  );
});

for (const [path, found] of [
  ['items.0.label', true],
  ['items.1', true],
  ['items.2', false],
  ['items.01', false],
  ['items.-1', false],
  ['items.1e0', false],
  ['items.length', false],
  ['items.map', false],
  ['items.0.label.length', false],
  ['constructor.name', false],
  ['__proto__', false],
  ['', false],
  ['items.', false],
] as const) {
  test(`the path “${path}” ${found ? 'leads' : 'does not lead'} to a value`, () => {
    assert.equal(valueAt({ items: [{ label: 'x' }, null] }, path) !== undefined, found);
  });
}

test('the order of keys makes no difference, but a missing key does', () => {
  assert.ok(sameJson({ a: 1, b: [{ c: null }] }, { b: [{ c: null }], a: 1 }));
  assert.ok(!sameJson({ a: undefined }, { b: undefined }));
  assert.ok(!sameJson([1], { 0: 1 }));
  assert.ok(!sameJson({ a: 1 }, { a: 1, b: 2 }));
});

const original = {
  title: 'T',
  items: [
    { label: 'a', value: '1' },
    { label: 'b', value: null },
  ],
};
const given = (
  fieldEdits: Record<string, unknown>,
  itemReviews: Record<string, 'confirmed' | 'rejected'> = {},
) => ({
  fieldEdits,
  itemReviews,
});

test('successive reviews are merged, and the last one for a path holds', () => {
  const edits = fc.uniqueArray(fc.constantFrom('title', 'items.0.label', 'items.0.value', 'items.1.value'));
  fc.assert(
    fc.property(fc.array(fc.tuple(edits, fc.string()), { maxLength: 5 }), (reviews) => {
      const all = reviews.reduce<ReturnType<typeof mergeCorrections> | null>(
        (sum, [paths, value]) =>
          mergeCorrections(sum, given(Object.fromEntries(paths.map((path) => [path, value]))), original),
        null,
      );
      const expected = Object.fromEntries(
        reviews.flatMap(([paths, value]) => paths.map((path) => [path, value] as const)),
      );
      const { current, corrected } = layer(original, all);
      assert.deepEqual(current.fieldEdits, expected);
      for (const [path, value] of Object.entries(expected))
        assert.equal(valueAt(corrected, path)?.value, value);
    }),
  );
});

test('an item that is replaced as a whole keeps the edits of its fields', () => {
  const corrections = mergeCorrections(
    null,
    given({ 'items.0.value': '2', 'items.0': { label: 'c', value: '0' } }),
    original,
  );
  const { corrected } = layer(original, corrections);
  assert.deepEqual(valueAt(corrected, 'items.0')?.value, { label: 'c', value: '2' });
});

test('a review of a value does not hold for another value', () => {
  const reviews = given({ 'items.0.value': '2' }, { title: 'confirmed', 'items.1': 'rejected' });
  const corrections = mergeCorrections(null, reviews, original);
  const later = { title: 'T', items: [{ label: 'a', value: '7' }] };
  const { corrected, current, superseded } = layer(later, corrections);
  assert.deepEqual(current, given({}, { title: 'confirmed' }));
  assert.deepEqual(superseded, given({ 'items.0.value': '2' }, { 'items.1': 'rejected' }));
  assert.deepEqual(corrected, later);
});

test('paths that lead to no value are reported with the kind of their correction', () => {
  const places = unknownPaths(
    original,
    given({ 'items.9': 1, title: 'x' }, { 'items.0.colour': 'confirmed' }),
  );
  assert.deepEqual(places, [
    { kind: 'itemReviews', path: 'items.0.colour' },
    { kind: 'fieldEdits', path: 'items.9' },
  ]);
});
