import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { validate, validateFields } from '../../../api/http/validate.ts';
import { AppError } from '../../../domain/app-error.ts';
import { flag, repeatable, integerIn } from '../../../domain/schemas/query.ts';
import { commaSeparatedTags, displayName, tagList } from '../../../domain/schemas/text.ts';

function refusal(schema: z.ZodType, value: unknown): AppError {
  try {
    validate(schema, value, 'body');
  } catch (error) {
    assert.ok(error instanceof AppError);
    return error;
  }
  return assert.fail('the value was accepted');
}

test('at most twenty problems are listed, all are counted, and the summary stays short', () => {
  const { details, message } = refusal(
    z.array(z.string()),
    Array.from({ length: 5000 }, () => 1),
  );
  assert.equal(details.errors?.length, 20);
  assert.equal(details.errorCount, 5000);
  assert.ok(message.length <= 500);
});

test('a number that no database can store is rejected at any depth', () => {
  const { details } = refusal(z.looseObject({}), { deep: [JSON.parse('1e400')] });
  assert.deepEqual(
    details.errors?.map(({ pointer }) => pointer),
    ['/body/deep/0'],
  );
});

test('a name needs a visible character', () => {
  for (const name of ['', ' ', '\u200b\u2060', '\u00a0\ufeff'])
    assert.equal(displayName(10).safeParse(name).success, false);
  assert.equal(displayName(10).parse(' Å '), 'Å');
});

test('each unknown field is reported with its own escaped JSON pointer', () => {
  const { details } = refusal(z.strictObject({ a: z.strictObject({}) }), { a: { 'x/y': 1 }, '~': 2 });
  assert.deepEqual(
    details.errors?.map(({ pointer }) => pointer),
    ['/body/a/x~1y', '/body/~0'],
  );
});

test('a missing field is reported as required whatever its type, and a wrong type is reported with the expected one', () => {
  const schema = z.strictObject({
    name: z.string(),
    kind: z.enum(['a', 'b']),
    count: z.int(),
    list: z.array(z.strictObject({ id: z.guid() })),
    either: z.union([z.string(), z.int()]),
    shape: z.discriminatedUnion('type', [z.object({ type: z.literal('x') })]),
  });
  const messages = (value: unknown) =>
    Object.fromEntries(
      refusal(schema, value).details.errors?.map(({ pointer, message }) => [pointer, message]) ?? [],
    );
  assert.deepEqual(messages({ list: [{}], shape: {} }), {
    '/body/name': 'is required',
    '/body/kind': 'is required',
    '/body/count': 'is required',
    '/body/list/0/id': 'is required',
    '/body/either': 'is required',
    '/body/shape/type': 'is required',
  });
  const others = Object.values(
    messages({ name: null, kind: 'c', count: 'x', list: 1, either: null, shape: { type: 'y' } }),
  );
  assert.equal(others.length, 6);
  assert.ok(!others.includes('is required'), others.join());
  assert.match(messages(undefined)['/body'] ?? '', /object/);
});

test('tags are trimmed, and empty and repeated ones are ignored', () => {
  assert.deepEqual(tagList.parse([' a', '', 'b', 'a ']), ['a', 'b']);
  assert.deepEqual(commaSeparatedTags.parse(' a,,b , a'), ['a', 'b']);
  const forty = Array.from({ length: 40 }, (_, i) => String(i));
  assert.deepEqual(tagList.parse([...forty, ...forty, '']), forty);
  assert.equal(tagList.safeParse([...forty, '40']).success, false);
});

test('excessively many tags are a single error', () => {
  for (const text of [',', 'x,', '\0,', 'x'.repeat(60) + ',']) {
    assert.equal(refusal(commaSeparatedTags, text.repeat(260_000 / text.length)).details.errorCount, 1);
  }
  assert.equal(
    refusal(
      tagList,
      Array.from({ length: 30_000 }, () => 1),
    ).details.errorCount,
    1,
  );
});

const fields = z.object({
  limit: integerIn(1, 100).default(20),
  deleted: flag.default(false),
  folder: z.guid().optional(),
  kinds: repeatable(z.enum(['a', 'b']), 2, 'Kinds'),
});

test('an empty field counts as absent, also beside others of the same name, and an empty list stays empty', () => {
  const nothing = validateFields(fields, { limit: '', deleted: '', folder: '', kinds: '' }, 'query');
  assert.deepEqual(nothing, { limit: 20, deleted: false, kinds: [] });
  assert.equal(validateFields(fields, {}, 'query').kinds, undefined);
  assert.deepEqual(validateFields(fields, { kinds: ['', 'a', ''] }, 'query').kinds, ['a']);
  assert.deepEqual(validateFields(fields, { kinds: ['', ''] }, 'query').kinds, []);
});

test('repeated values count once', () => {
  const { kinds } = validateFields(fields, { kinds: ['a', 'b', 'a', 'a'] }, 'query');
  assert.deepEqual(kinds, ['a', 'b']);
  const tooMany = repeatable(z.string(), 2, 'Names');
  assert.match(refusal(tooMany, ['a', 'b', 'c', 'a']).message, /at most 2 of them/);
});

test('a value that is not a number or boolean is reported in terms of query strings', () => {
  const messageFor = (query: Record<string, string>) => refusal(fields, query).details.errors?.[0]?.message;
  for (const limit of ['many', '1.5', '0', '-1', '101', '1e400', '9'.repeat(30)]) {
    const [problem, ...more] = refusal(fields, { limit }).details.errors ?? [];
    assert.deepEqual([problem?.message, more], ['must be a whole number from 1 to 100', []], limit);
  }
  assert.equal(messageFor({ deleted: 'maybe' }), 'must be true or false');
});
