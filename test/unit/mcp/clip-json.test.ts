import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { clipJson } from '../../../api/mcp/clip-json.ts';

async function clipped(parts: readonly string[], longest: number): Promise<unknown> {
  let text = '';
  for await (const part of clipJson(streamOf(parts), longest)) text += part;
  return JSON.parse(text);
}

async function* streamOf(parts: readonly string[]): AsyncGenerator<string> {
  yield* parts;
}

/** Chunks of a text, split at any place, also within escape sequences. */
const divided = (text: string, size: number) =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));

test('texts within the limit stay unchanged, however the response is chunked', () =>
  fc.assert(
    fc.asyncProperty(fc.jsonValue(), fc.integer({ min: 1, max: 9 }), async (value, size) => {
      assert.deepEqual(
        await clipped(divided(JSON.stringify(value), size), 10_000),
        JSON.parse(JSON.stringify(value)),
      );
    }),
  ));

test('every text of a response is truncated in the same way, however it is chunked', () => {
  const short = fc.string({ unit: fc.constantFrom('a', '"', '\\', '\n', '\u0001', 'é', '€'), maxLength: 12 });
  const cut = (text: string) =>
    text.length > 5 ? `${text.slice(0, 5)}… [${text.length - 5} more characters]` : text;
  return fc.assert(
    fc.asyncProperty(fc.array(short), fc.integer({ min: 1, max: 9 }), async (texts, size) => {
      assert.deepEqual(await clipped(divided(JSON.stringify(texts), size), 5), texts.map(cut));
    }),
  );
});

test('longer texts are truncated at whole characters and state the number of missing ones', async () => {
  const text = JSON.stringify({ a: ['0123456789'], b: '\\"\u0001é"\n', c: 'ab' });
  for (const size of [1, 2, 3, 100]) {
    assert.deepEqual(await clipped(divided(text, size), 3), {
      a: ['012… [7 more characters]'],
      b: '\\"\u0001… [3 more characters]',
      c: 'ab',
    });
  }
});

test('a surrogate pair is kept whole or not at all', async () => {
  assert.equal(await clipped([JSON.stringify('ab😀😀')], 3), 'ab… [3 more characters]');
  assert.equal(await clipped([JSON.stringify('ab😀😀')], 4), 'ab😀… [2 more characters]');
});

test('a long text takes only as much memory as the part that is kept', async () => {
  async function* endless(): AsyncGenerator<string> {
    yield '{"text":"';
    for (let at = 0; at < 200; at++) yield 'x'.repeat(65_536);
    yield '"}';
  }
  let kept = 0;
  for await (const part of clipJson(endless(), 100)) kept += part.length;
  assert.ok(kept < 200, `${kept} characters`);
});
