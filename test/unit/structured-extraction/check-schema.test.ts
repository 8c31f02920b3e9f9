import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linearPatterns } from '../../../engines/text-work/linear-pattern.ts';
import { checkSchema } from '../../../domain/structured-extraction/check-schema.ts';
import { patternSize } from '../../../domain/structured-extraction/pattern-size.ts';
import { reportViolations } from '../../../domain/structured-extraction/schema-violation.ts';
import { SCHEMA_FORMATS, SCHEMA_TYPES } from '../../../domain/structured-extraction/json-schema.ts';

type Json = Record<string, unknown>;

const check = (schema: unknown) => checkSchema(schema, linearPatterns);
/** `rule pointer` of each violation. */
const found = (schema: unknown) => check(schema).map(({ rule, pointer }) => `${rule} ${pointer}`);
const object = (properties: Json, more: Json = {}): Json => ({ type: 'object', properties, ...more });
const TEXT = { type: 'string' };
const many = (count: number, each: unknown = TEXT) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, each]));
/** A schema with this many nodes, within all other limits. */
const ofNodes = (count: number) => {
  const groups = Math.ceil((count - 1) / 50);
  const leaves = count - 1 - groups;
  return object(
    Object.fromEntries(
      Array.from({ length: groups }, (_, at) => {
        const from = Math.floor((leaves * at) / groups);
        return [`g${at}`, object(many(Math.floor((leaves * (at + 1)) / groups) - from))];
      }),
    ),
  );
};
/** A schema of exactly this many bytes. */
const ofBytes = (count: number) => {
  const bare = object({ a: { ...TEXT, description: '' } });
  return object({ a: { ...TEXT, description: 'x'.repeat(count - JSON.stringify(bare).length) } });
};
/** A chain of nested properties of this depth. */
const ofDepth = (steps: number): Json =>
  steps === 1 ? object({ a: TEXT }) : object({ a: ofDepth(steps - 1) });

test('each limit is accepted, and one more than it is rejected', () => {
  const cases: [string, unknown, string[]][] = [
    ['3 levels', ofDepth(3), []],
    ['4 levels', ofDepth(4), ['depth /properties/a/properties/a/properties/a/properties/a']],
    ['reported once', ofDepth(6), ['depth /properties/a/properties/a/properties/a/properties/a']],
    ['items are a level', object({ a: { type: 'array', items: object({ b: TEXT }) } }), []],
    [
      'nested items are two levels',
      object({ a: { type: 'array', items: { type: 'array', items: object({ b: TEXT }) } } }),
      ['depth /properties/a/items/items/properties/b'],
    ],
    ['a branch is not a level', object({ a: object({ b: { anyOf: [TEXT, object({ c: TEXT })] } }) }), []],
    ['50 properties', object(many(50)), []],
    ['51 properties', object(many(51)), ['properties /properties']],
    ['200 nodes', ofNodes(200), []],
    ['201 nodes', ofNodes(201), ['nodes ']],
    ['branches count as nodes', object({ a: { anyOf: Array.from({ length: 198 }, () => TEXT) } }), []],
    ['one branch too many', object({ a: { anyOf: Array.from({ length: 199 }, () => TEXT) } }), ['nodes ']],
    ['32 KB', ofBytes(32 * 1024), []],
    ['32 KB and a byte', ofBytes(32 * 1024 + 1), ['size ']],
    ['500 characters', object({ a: { ...TEXT, pattern: 'x'.repeat(500) } }), []],
    [
      '501 characters',
      object({ a: { ...TEXT, pattern: 'x'.repeat(501) } }),
      ['pattern /properties/a/pattern'],
    ],
    ['a name of 100', object({ ['x'.repeat(100)]: TEXT }), []],
    ['a name of 101', object({ ['x'.repeat(101)]: TEXT }), [`name /properties/${'x'.repeat(101)}`]],
  ];
  for (const [name, schema, expected] of cases) assert.deepEqual(found(schema), expected, name);
});

test('bytes are counted, not characters', () => {
  assert.deepEqual(found(object({ a: { ...TEXT, description: '€'.repeat(11_000) } })), ['size ']);
});

test('invalid schemas are rejected with the pointer of each violation', () => {
  const cases: [unknown, string[]][] = [
    [null, ['root_type ']],
    ['{}', ['root_type ']],
    [[], ['root_type ']],
    [{}, ['root_type ', 'type ']],
    [TEXT, ['root_type /type']],
    [object({}), ['properties /properties']],
    [{ type: 'object' }, ['properties /properties']],
    [{ type: 'object', properties: 7 }, ['properties /properties', 'value /properties']],
    [object({ a: 7 }), ['value /properties/a']],
    [object({ a: {} }), ['type /properties/a']],
    [object({ a: { type: 'null' } }), ['type /properties/a/type']],
    [object({ a: { type: ['string', 'null'] } }), ['type /properties/a/type']],
    [object({ a: { ...TEXT, anyOf: [TEXT] } }), ['composition /properties/a/type']],
    [object({ a: { anyOf: [] } }), ['composition /properties/a/anyOf']],
    [object({ a: { anyOf: [{ type: 'date' }] } }), ['type /properties/a/anyOf/0/type']],
    [object({ a: { type: 'array' } }), ['value /properties/a']],
    [object({ a: { anyOf: [{ anyOf: [{}] }, TEXT] } }), ['type /properties/a/anyOf/0/anyOf/0']],
    [
      object({ a: { anyOf: [TEXT], items: { $ref: '#' } } }),
      ['type /properties/a/items', 'composition /properties/a/items/$ref'],
    ],
    [object({ a: { type: 'array', items: [TEXT] } }), ['value /properties/a/items']],
    [object({ a: TEXT }, { required: ['b'] }), ['required /required/0']],
    [object({ a: TEXT }, { required: ['a', 'a'] }), ['required /required/1']],
    [object({ a: TEXT }, { required: 'a' }), ['required /required']],
    [object({ a: TEXT }, { required: [1] }), ['required /required/0']],
    [object({ a: TEXT }, { required: ['toString'] }), ['required /required/0']],
    [object({ a: { ...TEXT, enum: [] } }), ['enum /properties/a/enum']],
    [object({ a: { ...TEXT, enum: ['x', 'x'] } }), ['enum /properties/a/enum/1']],
    [
      object({ a: { ...TEXT, enum: ['x', 1, null] } }),
      ['enum /properties/a/enum/1', 'enum /properties/a/enum/2'],
    ],
    [object({ a: { type: 'integer', enum: [1, 1.5] } }), ['enum /properties/a/enum/1']],
    [object({ a: { type: 'boolean', const: 'yes' } }), ['enum /properties/a/const']],
    [object({ a: { ...TEXT, minimum: 1 } }), ['keyword /properties/a/minimum']],
    [object({ a: { ...TEXT, patternProperties: {} } }), ['keyword /properties/a/patternProperties']],
    [object({ a: { type: 'string', nullable: true } }), ['keyword /properties/a/nullable']],
    [object({ a: { $ref: '#/properties/a' } }), ['type /properties/a', 'composition /properties/a/$ref']],
    [object({ a: { type: 'string', $ref: '#' } }), ['composition /properties/a/$ref']],
    [object({ a: TEXT }, { $defs: {}, allOf: [] }), ['composition /$defs', 'composition /allOf']],
    [object({ a: { ...TEXT, oneOf: [] } }), ['composition /properties/a/oneOf']],
    [object({ a: { ...TEXT, format: 'regex' } }), ['format /properties/a/format']],
    [object({ a: { ...TEXT, minLength: -1 } }), ['bounds /properties/a/minLength']],
    [object({ a: { ...TEXT, minLength: 3, maxLength: 2 } }), ['bounds /properties/a/minLength']],
    [
      object({ a: { type: 'array', items: TEXT, minItems: 3, maxItems: 2 } }),
      ['bounds /properties/a/minItems'],
    ],
    [object({ a: { anyOf: [TEXT], minLength: 3, maxLength: 2 } }), ['bounds /properties/a/minLength']],
    [object({ a: { type: 'number', minimum: '1' } }), ['bounds /properties/a/minimum']],
    [object({ a: { type: 'number', multipleOf: 0 } }), ['bounds /properties/a/multipleOf']],
    [
      object({ a: { ...TEXT, title: 7, examples: 'x' } }),
      ['value /properties/a/title', 'value /properties/a/examples'],
    ],
    [object({ a: TEXT }, { additionalProperties: {} }), ['value /additionalProperties']],
    [object({ 'a/b~c': { type: 'x' } }), ['type /properties/a~1b~0c/type']],
    [object({ ' ': TEXT }), ['name /properties/ ']],
    [object({ constructor: TEXT }), ['name /properties/constructor']],
    [object({ é: TEXT, 'e\u0301': TEXT }), ['name /properties/e\u0301']],
    [
      JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}'),
      ['name /properties/__proto__'],
    ],
    [object({ a: { ...TEXT, $schema: 'x' } }), ['keyword /properties/a/$schema']],
    [object({ a: TEXT }, { $schema: 'https://json-schema.org/draft/2020-12/schema' }), []],
  ];
  for (const [schema, expected] of cases) assert.deepEqual(found(schema), expected, JSON.stringify(schema));
});

test('contradictory bounds are rejected in all combinations', () => {
  const bounds = fc.record(
    {
      minimum: fc.integer({ min: 0, max: 3 }),
      exclusiveMinimum: fc.integer({ min: 0, max: 3 }),
      maximum: fc.integer({ min: 0, max: 3 }),
      exclusiveMaximum: fc.integer({ min: 0, max: 3 }),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(bounds, fc.constantFrom('integer', 'number'), (given, type) => {
      const { minimum = -9, exclusiveMinimum = -9, maximum = 9, exclusiveMaximum = 9 } = given;
      const step = type === 'integer' ? 1 : 0.25;
      const values = Array.from({ length: 80 }, (_, at) => (at - 40) * step);
      const some = values.some(
        (value) =>
          value >= minimum && value > exclusiveMinimum && value <= maximum && value < exclusiveMaximum,
      );
      assert.equal(found(object({ a: { type, ...given } })).length === 0, some);
    }),
  );
});

test('all violations are reported, not only the first', () => {
  const schema = object({ a: { type: 'x' }, b: { ...TEXT, format: 'y' }, ...many(49) }, { required: ['z'] });
  const expected = [
    'type /properties/a/type',
    'format /properties/b/format',
    'properties /properties',
    'required /required/0',
  ];
  assert.deepEqual(new Set(found(schema)), new Set(expected));
  assert.equal(found(schema).length, expected.length);
});

test('an excessively nested schema is rejected without being traversed', () => {
  let deep: unknown = 1;
  for (let level = 0; level < 50_000; level += 1) deep = { a: deep };
  assert.deepEqual(found(deep), ['depth ']);
});

test('patterns that cannot be matched in linear time are rejected, and large ones do no harm', () => {
  const pattern = (text: string) => found(object({ a: { ...TEXT, pattern: text } }));
  const bad = ['(', '[z-a]', '(?=a)b', '(?<!a)b', String.raw`(a)\1`, '(((a{100}){100}){100})', '*'];
  for (const one of bad) assert.deepEqual(pattern(one), ['pattern /properties/a/pattern'], one);
  const good = [
    '^[A-Z]{2}\\d{4}$',
    '(a+)+$',
    '^(?:\\d{3}-)?\\d+$',
    '^\\p{L}+$',
    '^\\u00e9$',
    'a/b',
    '(a|a)*$',
  ];
  for (const one of good) assert.deepEqual(pattern(one), [], one);
});

test('a schema without violations compiles, and any JSON value can be checked against it', () => {
  const ajv = addFormats.default(new Ajv2020.Ajv2020({ strict: false }));
  const name = fc.string({ minLength: 1, maxLength: 5 });
  const keyword = fc.constantFrom(
    'type',
    'properties',
    'items',
    'anyOf',
    'required',
    'enum',
    'const',
    'format',
    'pattern',
    'minLength',
    'maxItems',
    'title',
    '$ref',
    'additionalProperties',
  );
  const { schema } = fc.letrec<{ schema: unknown; value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(...SCHEMA_TYPES, ...SCHEMA_FORMATS, 'a', 1, -1, true, null),
      fc.array(tie('value'), { maxLength: 3 }),
      tie('schema'),
      fc.dictionary(name, tie('schema'), { maxKeys: 3 }),
    ),
    schema: fc.oneof(
      { maxDepth: 4 },
      fc.record({ type: fc.constantFrom(...SCHEMA_TYPES) }),
      fc.record({
        type: fc.constant('object'),
        properties: fc.dictionary(name, tie('schema'), { maxKeys: 3 }),
      }),
      fc.record({ type: fc.constant('array'), items: tie('schema') }),
      fc.record({ anyOf: fc.array(tie('schema'), { maxLength: 3 }) }),
      fc.dictionary(keyword, tie('value'), { maxKeys: 4 }),
    ),
  }));
  let accepted = 0;
  fc.assert(
    fc.property(schema, (given) => {
      const violations = check(given);
      for (const { pointer, message } of violations)
        assert.ok(pointer === '' || pointer.startsWith('/'), message);
      if (violations.length > 0) return;
      accepted += 1;
      ajv.compile(given as object);
    }),
    { numRuns: 2000 },
  );
  assert.ok(accepted > 20, `only ${accepted} were accepted`);
});

test('a report of thousands of violations is short, states how many more there are, and points to existing nodes', () => {
  const long = 'x'.repeat(10_000);
  const schemas: [name: string, schema: unknown, names: number][] = [
    ['required', object({ a: TEXT }, { required: Array.from({ length: 6000 }, (_, at) => at) }), 51],
    ['keywords', { ...object({ a: TEXT }), ...many(3000, 1) }, 51],
    ['a long name', object({ [long]: { type: 'string', ...many(2000, 1) } }), 51],
    ['a long keyword', { ...object({ a: TEXT }), [long]: 1 }, 1],
    ['few', object({ a: { type: 'text' } }), 1],
  ];
  for (const [name, schema, count] of schemas) {
    const all = check(schema);
    const report = reportViolations(all);
    assert.equal(report.length, count, name);
    assert.ok(JSON.stringify(report).length < 40_000, name);
    if (count < 51) continue;
    assert.deepEqual(
      report.at(-1),
      { pointer: '', rule: 'more', message: `and ${all.length - 50} more; correct these first` },
      name,
    );
    // The pointer is that of the node or of an ancestor.
    for (const [at, { pointer }] of report.slice(0, -1).entries())
      assert.ok(`${all[at]?.pointer}/`.startsWith(`${pointer}/`), pointer);
  }
});

test('the program size of a pattern is computed without compiling it, and the patterns of a schema are limited together', () => {
  const sizes: [pattern: string, size: number][] = [
    ['abc', 3],
    ['x{1000}', 1000],
    ['(x{30}){30}', 930],
    ['((x{10}){10}){10}', 1110],
    ['[a-z\\]{}]{4}', 4],
    ['[]x]{4}', 4],
    ['\\p{Greek}{5}', 5],
    ['\\b{20}', 20],
    ['\\{3}', 3],
    ['a{,3}', 5],
    ['x{2,40}', 40],
    ['(((', 0],
    [')))', 3],
  ];
  for (const [pattern, size] of sizes) assert.equal(patternSize(pattern), size, pattern);
  const refused = (pattern: string, properties: number) =>
    found(object(many(properties, { ...TEXT, pattern }))).filter((each) => each.startsWith('pattern'));
  assert.deepEqual(refused('[A-Z]{2,40}[0-9]{2,50}', 50), []);
  assert.equal(refused('x{1000}', 50).length, 45);
  assert.equal(refused('x{1000}'.repeat(60), 50).length, 50);
  fc.assert(fc.property(fc.string(), (pattern) => patternSize(pattern) >= 0));
});
