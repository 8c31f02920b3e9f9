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

/** Divided anywhere, also within escape sequences. */
const divided = (text: string, size: number) =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));

test('texts that fit stay as they are, however the answer arrives', () =>
  fc.assert(
    fc.asyncProperty(fc.jsonValue(), fc.integer({ min: 1, max: 9 }), async (value, size) => {
      assert.deepEqual(
        await clipped(divided(JSON.stringify(value), size), 10_000),
        JSON.parse(JSON.stringify(value)),
      );
    }),
  ));

test('longer texts are cut at whole characters, and say what is missing', async () => {
  const text = JSON.stringify({ a: ['0123456789'], b: '\\"\u0001é"\n', c: 'ab' });
  for (const size of [1, 2, 3, 100]) {
    assert.deepEqual(await clipped(divided(text, size), 3), {
      a: ['012… [7 more characters]'],
      b: '\\"\u0001… [3 more characters]',
      c: 'ab',
    });
  }
});

test('the memory that a long text takes is that of what is kept', async () => {
  async function* endless(): AsyncGenerator<string> {
    yield '{"text":"';
    for (let at = 0; at < 200; at++) yield 'x'.repeat(65_536);
    yield '"}';
  }
  let kept = 0;
  for await (const part of clipJson(endless(), 100)) kept += part.length;
  assert.ok(kept < 200, `${kept} characters`);
});
