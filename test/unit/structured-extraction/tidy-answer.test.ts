import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { jsonSchemaCheck } from '../../../engines/text-work/answer-check.ts';
import { tidyAnswer } from '../../../engines/text-work/tidy-answer.ts';

const text = { type: 'string' };
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

const cases: Record<string, [schema: object, answer: unknown, tidied: unknown]> = {
  'a property that is not in the schema': [object({ a: text }), { a: 'x', is_admin: true }, { a: 'x' }],
  'such a property in a nested object': [
    object({ a: object({ b: text }) }),
    { a: { b: 'x', c: 'y' }, d: 1 },
    { a: { b: 'x' } },
  ],
  'such a property in the items of a list': [
    object({ a: { type: 'array', items: object({ b: text }) } }),
    { a: [{ b: 'x', c: 'y' }, { c: 'z' }] },
    { a: [{ b: 'x' }, {}] },
  ],
  'additional properties that the schema allows': [
    object({ a: text }, { additionalProperties: true }),
    { a: 'x', b: { c: 1 } },
    { a: 'x', b: { c: 1 } },
  ],
  'additional properties of one object only': [
    object({ a: object({ b: text }) }, { additionalProperties: true }),
    { a: { b: 'x', c: 'y' }, d: 1 },
    { a: { b: 'x' }, d: 1 },
  ],
  'additional properties that the schema forbids': [
    object({ a: text }, { additionalProperties: false }),
    { a: 'x', b: 'y' },
    { a: 'x' },
  ],
  'an object without named properties': [object({ a: { type: 'object' } }), { a: { b: 1 } }, { a: {} }],
  'a name of the prototype': [
    object({ a: text }),
    JSON.parse('{"a":"x","__proto__":{"b":1},"toString":"y"}'),
    { a: 'x' },
  ],
  'branches distinguished by a constant value': [
    object({
      a: {
        anyOf: [
          object({ kind: { const: 'circle' }, radius: { type: 'number' } }),
          object({ kind: { const: 'square' }, side: { type: 'number' } }),
        ],
      },
    }),
    { a: { kind: 'square', side: '2', radius: 1, note: 'x' } },
    { a: { kind: 'square', side: 2 } },
  ],
  'branches distinguished by required names': [
    object({ a: { anyOf: [text, object({ b: text, c: text }, { required: ['b'] }), object({ d: text })] } }),
    { a: { d: 'x', c: 'y' } },
    { a: { d: 'x' } },
  ],
  'several branches that an object may match': [
    object({ a: { anyOf: [object({ b: text }), object({ c: text })] } }),
    { a: { b: 'x', c: 'y', d: 'z' } },
    { a: { b: 'x', c: 'y' } },
  ],
  'a branch with a scalar in place of a list': [
    object({ a: { anyOf: [object({ b: text }), object({})] } }),
    { a: { b: [{ c: 0 }] } },
    { a: {} },
  ],
  'nested branches in lists': [
    object({ a: { type: 'array', items: { anyOf: [text, { anyOf: [object({ b: text })] }] } } }),
    { a: ['x', { b: 'y', c: 'z' }] },
    { a: ['x', { b: 'y' }] },
  ],
  'additional properties allowed beside branches': [
    object({ a: { anyOf: [object({ b: text })], additionalProperties: true } }),
    { a: { b: 'x', c: 'y' } },
    { a: { b: 'x', c: 'y' } },
  ],
  'null for an optional property': [
    object({ a: text, b: text, c: { anyOf: [text] } }, { required: ['b'] }),
    { a: null, b: null, c: null },
    { b: null, c: null },
  ],
  'quoted numbers, booleans and dates': [
    object({ n: { type: 'number' }, b: { type: 'boolean' }, d: { type: 'string', format: 'date' } }),
    { n: '1,200.50', b: 'yes', d: '21 November 2026' },
    { n: 1200.5, b: true, d: '2026-11-21' },
  ],
};

for (const [name, [schema, answer, tidied]] of Object.entries(cases)) {
  test(`an answer is tidied: ${name}`, () => {
    assert.deepEqual(tidyAnswer(answer, schema), tidied);
  });
}

const leaf = fc.constantFrom({ type: 'string' }, { type: 'number' }, { type: 'boolean' });
const name = fc.constantFrom('a', 'b', 'c', 'd');
const { schema: anySchema } = fc.letrec<{ schema: object }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', maxDepth: 4 },
    leaf,
    fc.dictionary(name, tie('schema')).map((properties) => object(properties)),
    tie('schema').map((items) => ({ type: 'array', items })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
  ),
}));

/** The names of all properties at any depth of a schema. */
function namesIn(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(namesIn);
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {}, items, anyOf } = schema as Record<string, object | undefined>;
  return [
    ...Object.keys(properties ?? {}),
    ...namesIn(Object.values(properties ?? {})),
    ...namesIn(items),
    ...namesIn(anyOf),
  ];
}

function keysIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(keysIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [key, ...keysIn(item)]);
}

test('a valid answer stays valid and has only properties of the schema', () => {
  fc.assert(
    fc.property(
      fc.dictionary(name, anySchema),
      fc.object({ key: fc.constantFrom('a', 'b', 'c', 'd', 'evil') }),
      (properties, answer) => {
        const schema = object(properties);
        const check = jsonSchemaCheck(schema);
        fc.pre('value' in check(answer));
        const tidied = tidyAnswer(answer, schema);
        assert.ok('value' in check(tidied), JSON.stringify(check(tidied)));
        const known = namesIn(schema);
        assert.deepEqual(
          keysIn(tidied).filter((key) => !known.includes(key)),
          [],
        );
        assert.deepEqual(tidyAnswer(tidied, schema), tidied);
      },
    ),
    { numRuns: 20 },
  );
});
