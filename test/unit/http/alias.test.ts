import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { alias, renameFields, renameSchema } from '../../../api/http/alias.ts';
import { route, type Call } from '../../../api/http/route.ts';
import { StreamedText } from '../../../api/http/streamed.ts';

const answer = z.object({ file_id: z.string(), parts: z.array(z.object({ file_id: z.string() })) });
const common = {
  method: 'get',
  path: '/files/:file_id',
  operationId: 'getThing',
  summary: 'One thing',
  tag: 'Files',
  permit: 'files.read',
  params: z.object({ file_id: z.string() }),
} as const;
const original = route({
  ...common,
  answers: { 200: answer.meta({ id: 'AliasedThing' }) },
  handle: async ({ params }) => ({ found: params.file_id }),
  present: ({ found }) => ({ file_id: found, parts: [{ file_id: found }] }),
});
const old = alias(original, {
  path: '/images/:image_id',
  operationId: 'legacyGetThing',
  summary: 'One image',
  rename: { file_id: 'image_id' },
  present: (current, { found }) => ({ ...current, key: `key of ${found}` }),
});

test('an alias runs the handler of its route and renames fields at every depth', async () => {
  const call = { params: { image_id: 'a' } } as Call<unknown, unknown, unknown>;
  const result = await old.handle(call);
  assert.deepEqual(await old.present?.(result, call), {
    image_id: 'a',
    parts: [{ image_id: 'a' }],
    key: 'key of a',
  });
});

test('an alias is documented under its own names and refers to the current ones', () => {
  assert.equal(old.summary, 'One image; now GET /files/{file_id}');
  assert.equal(old.tag, 'Legacy');
  assert.equal(old.deprecated, true);
  assert.deepEqual(Object.keys(old.params?.shape ?? {}), ['image_id']);
  assert.equal(original.path, '/files/:file_id');
});

test('a schema without renamed fields is left unchanged', () => {
  assert.equal(renameSchema(answer, { other: 'one' }), answer);
  const renamed = renameSchema<z.ZodType>(answer, { file_id: 'image_id' });
  const value = { image_id: 'a', parts: [{ image_id: 'b' }] };
  assert.deepEqual(renamed.parse(value), value);
});

test('only field names are renamed, not values', () => {
  const given = { a: ['a', null, 1], b: undefined };
  assert.deepEqual(renameFields(given, { a: 'z' }), { z: ['a', null, 1], b: undefined });
});

test('a route whose handler or presenter does not match its answers does not compile', () => {
  const schema = z.object({ state: z.enum(['on', 'off']), note: z.string() });
  const answers = { 200: schema };
  // @ts-expect-error: `note` is missing.
  route({ ...common, answers, handle: async () => ({ state: 'on' as const }) });
  // @ts-expect-error: a state that is not in the schema.
  route({ ...common, answers, handle: async () => 1, present: () => ({ state: 'up', note: '' }) });
  const streamed = { state: 'on' as const, note: new StreamedText(one()) };
  // @ts-expect-error: only a streamed route may stream.
  route({ ...common, streamed: undefined, answers, handle: async () => streamed });
  assert.ok(route({ ...common, streamed: 'in_turn', answers, handle: async () => streamed }));
});

async function* one() {
  yield 'a';
}
