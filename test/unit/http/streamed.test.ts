import assert from 'node:assert/strict';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import fc from 'fast-check';
import { isStreamed, listOf, streamJson, textOf } from '../../../api/http/streamed.ts';

/** Yields values one after another, and records how many were read and whether reading has ended. */
function source<Value>(values: readonly Value[]) {
  const seen = { read: 0, ended: false };
  async function* read(): AsyncGenerator<Value> {
    try {
      for (const value of values) {
        seen.read += 1;
        yield value;
      }
    } finally {
      seen.ended = true;
    }
  }
  return { seen, values: read() };
}

test('a streamed response is the same JSON as an unstreamed one', async () => {
  const pages = fc.array(fc.array(fc.jsonValue()), { maxLength: 5 });
  const parts = fc.array(fc.string({ unit: 'binary' }), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(pages, parts, fc.jsonValue(), async (items, texts, other) => {
      const whole = { other, list: items.flat(), nested: [{ text: texts.join('') }, other], none: undefined };
      const answer = {
        other,
        list: (await listOf(source(items).values, (item) => item, items.flat().length)).list,
        nested: [{ text: await textOf(source(texts).values) }, other],
        none: undefined,
      };
      assert.deepEqual(JSON.parse(await text(streamJson(answer))), JSON.parse(JSON.stringify(whole)));
    }),
    { numRuns: 25 },
  );
});

test('a result that fits into the first read is not streamed', async () => {
  const few = await listOf(source([[1, 2]]).values, (item) => item, 3);
  assert.deepEqual(few, { list: [1, 2], total: 2 }, 'the total is the counted one');
  const none = await listOf(source<number[]>([]).values, (item) => item, 0);
  assert.deepEqual(none, { list: [], total: 0 });
  assert.equal(await textOf(source(['all']).values), 'all');
  assert.equal(await textOf(source<string>([]).values), '');
  assert.equal(isStreamed(await listOf(source([[1], [2]]).values, (item) => item, 2)), true);
  assert.equal(isStreamed({ list: [1], text: 'all', none: null }), false);
});

test('a stream reads no further than the client, and stops when the client disconnects', async () => {
  const { seen, values } = source(Array.from({ length: 1000 }, (_, at) => [at]));
  const stream = streamJson(await listOf(values, (item) => item, 1000));
  assert.equal(seen.read, 2, 'two reads suffice to detect a long list');
  const pieces = stream[Symbol.asyncIterator]();
  while (!String((await pieces.next()).value).startsWith('['));
  stream.destroy();
  await once(stream, 'close');
  assert.ok(seen.read < 10, `${seen.read} were read`);
  assert.equal(seen.ended, true);
});

test('an error at the start is thrown before the response, and a later one ends the stream', async () => {
  async function* failing(after: number): AsyncGenerator<number[]> {
    for (let at = 0; at < after; at += 1) yield [at];
    throw new Error('no database');
  }
  await assert.rejects(
    listOf(failing(1), (item) => item, 1),
    /no database/,
  );
  const late = streamJson(await listOf(failing(5), (item) => item, 5));
  await assert.rejects(text(late), /no database/);
  const shorter = streamJson(await listOf(source([[1], [2], [3]]).values, (item) => item, 4));
  await assert.rejects(text(shorter), /the list has 3 items, not 4/);
});
