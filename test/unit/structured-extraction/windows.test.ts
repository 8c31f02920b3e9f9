import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonSchema } from '../../../domain/structured-extraction/json-schema.ts';
import { mergeWindows, windowSchema, windowsOf } from '../../../domain/structured-extraction/windows.ts';

const page = (pageNumber: number, length: number) => ({
  pageNumber,
  elements: [
    {
      type: 'paragraph' as const,
      content: 'x'.repeat(length),
      box: { x: 0, y: 0, w: 1, h: 1 },
    },
  ],
});

test('every page is in exactly one window, in order, and windows keep to their size', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 50_000 }), { maxLength: 120 }), (lengths) => {
      const windows = windowsOf(lengths.map((length, at) => page(at + 1, length)));
      assert.deepEqual(
        windows.flat().map(({ pageNumber }) => pageNumber),
        lengths.map((_, at) => at + 1),
      );
      for (const window of windows) {
        const size = window.reduce((sum, { pageNumber }) => sum + (lengths[pageNumber - 1] ?? 0), 0);
        assert.ok(window.length === 1 || (size <= 40_000 && window.length <= 40));
      }
    }),
  );
});

test('windows are merged in order', () => {
  const cases: [unknown[], unknown][] = [
    [[{ a: 1 }], { a: 1 }],
    [[{ a: 1 }, { a: 2, b: 3 }], { a: 1, b: 3 }],
    [[{ a: '' }, { a: 'x' }], { a: 'x' }],
    [[{ a: { b: 1 } }, { a: { b: 2, c: 3 } }], { a: { b: 1, c: 3 } }],
    [[{ a: ['x', 'y'] }, { a: ['y', 'z'] }], { a: ['x', 'y', 'z'] }],
    [[{ a: [{ n: 1 }, { n: 2 }] }, { a: [{ n: 2 }, { n: 1 }] }], { a: [{ n: 1 }, { n: 2 }, { n: 1 }] }],
    [[{ a: [] }, {}, { a: [1] }], { a: [1] }],
    [[{ a: false }, { a: true }], { a: false }],
  ];
  for (const [results, merged] of cases) assert.deepEqual(mergeWindows(results), merged);
});

test('a window may lack required values, but its items must be complete', () => {
  const item: JsonSchema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
  const schema: JsonSchema = {
    type: 'object',
    properties: { list: { type: 'array', items: item, minItems: 1 }, part: item },
    required: ['list', 'part'],
  };
  assert.deepEqual(windowSchema(schema), {
    type: 'object',
    properties: {
      list: { type: 'array', items: item },
      part: { type: 'object', properties: { a: { type: 'string' } } },
    },
  });
});
