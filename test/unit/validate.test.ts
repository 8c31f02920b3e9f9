import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { validate } from '../../api/validate.ts';
import { Refusal } from '../../domain/refusal.ts';
import { commaSeparatedTags, tagList } from '../../domain/schemas/text.ts';

function refusal(schema: z.ZodType, value: unknown): Refusal {
  try {
    validate(schema, value, 'body');
  } catch (error) {
    assert.ok(error instanceof Refusal);
    return error;
  }
  return assert.fail('it was taken');
}

test('twenty problems are told, all are counted, and the summary stays short', () => {
  const { details, message } = refusal(
    z.array(z.string()),
    Array.from({ length: 5000 }, () => 1),
  );
  assert.equal(details.errors?.length, 20);
  assert.equal(details.errorCount, 5000);
  assert.ok(message.length <= 500);
});

test('each unknown field has a pointer of its own, escaped as JSON pointers are', () => {
  const { details } = refusal(z.strictObject({ a: z.strictObject({}) }), { a: { 'x/y': 1 }, '~': 2 });
  assert.deepEqual(
    details.errors?.map(({ pointer }) => pointer),
    ['/body/a/x~1y', '/body/~0'],
  );
});

test('tags are trimmed, and empty and repeated ones do not count', () => {
  assert.deepEqual(tagList.parse([' a', '', 'b', 'a ']), ['a', 'b']);
  assert.deepEqual(commaSeparatedTags.parse(' a,,b , a'), ['a', 'b']);
  const forty = Array.from({ length: 40 }, (_, i) => String(i));
  assert.deepEqual(tagList.parse([...forty, ...forty, '']), forty);
  assert.equal(tagList.safeParse([...forty, '40']).success, false);
});

test('a quarter of a megabyte of tags is one error, whatever they are', () => {
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
