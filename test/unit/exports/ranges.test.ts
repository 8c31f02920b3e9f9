import { DriverException } from '@mikro-orm/core';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import type { ExportCursor } from '../../../domain/exports/export.ts';
import { TextTooLong } from '../../../services/exports/table.ts';
import { readRanges, RecordTooSlow, type Range } from '../../../services/exports/ranges.ts';

const place = (at: number): ExportCursor => ({ place: [String(at)] });
const at = (cursor: ExportCursor | undefined) => (cursor ? Number(cursor.place[0]) : 0);

const timeout = () => new DriverException(Object.assign(new Error('canceled'), { code: '57014' }));

/**
 * Reads records 1 to n, every `gone`-th of which has been deleted. Their lengths are `lengths`, cyclically. A
 * range of more than `slow` records times out.
 */
async function readAll(
  n: number,
  lengths: number[],
  { after = 0, gone = 0, targetBytes = 1000, slow = Infinity } = {},
) {
  const seen: number[] = [];
  const read = new Map<number, number[]>();
  const ranges: { range: Range; bytes: number; size: number }[] = [];
  let reading = 0;
  let most = 0;
  const all = readRanges({
    after: after > 0 ? place(after) : undefined,
    targetBytes,
    findEnd: ({ after: begin, upTo }, size) =>
      Promise.resolve(at(begin) + size <= (upTo ? at(upTo) : n) ? place(at(begin) + size) : undefined),
    async read({ after: begin, upTo }, maxBytes) {
      most = Math.max(most, (reading += 1));
      await setImmediate();
      reading -= 1;
      const numbers = Array.from({ length: (upTo ? at(upTo) : n) - at(begin) }, (_, i) => at(begin) + i + 1);
      const left = numbers.filter((number) => gone === 0 || number % gone > 0);
      if (numbers.length > slow) throw timeout();
      const bytes = left.reduce((sum, number) => sum + (lengths[number % lengths.length] ?? 0), 0);
      if (left.length > 1 && bytes > maxBytes) throw new TextTooLong();
      read.set(at(begin), left);
      return { text: Buffer.alloc(bytes), records: left.length };
    },
  });
  for await (const { range, page } of all) {
    seen.push(...(read.get(at(range.after)) ?? []));
    ranges.push({ range, bytes: page.text.length, size: at(range.upTo) - at(range.after) });
  }
  return { seen, ranges, most };
}

test('ranges have every record once, in order, from any starting point', async () => {
  const lengths = fc.array(fc.nat({ max: 5000 }), { minLength: 1, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: 3000 }), fc.nat({ max: 3000 }), lengths, async (n, after, each) => {
      const { seen, ranges } = await readAll(n, each, { after: Math.min(after, n) });
      assert.deepEqual(
        seen,
        Array.from({ length: n - Math.min(after, n) }, (_, i) => Math.min(after, n) + i + 1),
      );
      // Each range begins where the previous one ended, and the last has no end.
      for (const [i, { range }] of ranges.entries())
        assert.equal(range.after, ranges[i - 1]?.range.upTo ?? ranges[0]?.range.after);
      assert.deepEqual(ranges.map(({ range }) => range.upTo === undefined).indexOf(true), ranges.length - 1);
    }),
    { numRuns: 12 },
  );
});

test('ranges adapt to the length of records, and an empty range does not stop them', async () => {
  const short = await readAll(50_000, [1], { targetBytes: 8000 });
  assert.ok(short.ranges.some(({ bytes }) => bytes >= 4000));
  const long = await readAll(50_000, [1000], { targetBytes: 20_000 });
  assert.ok(long.ranges.slice(6).every(({ bytes }) => bytes <= 21_000));
  const { ranges, seen } = await readAll(5000, [10], { gone: 1 });
  assert.deepEqual([seen.length, ranges.at(-1)?.range.upTo], [0, undefined]);
});

test('three ranges are read in parallel', async () => {
  const { most } = await readAll(10_000, [10]);
  assert.equal(most, 3);
});

test('a range that is too long is read in halves, and the next ones are as short', async () => {
  const { seen, ranges } = await readAll(
    4000,
    Array.from({ length: 4001 }, (_, i) => (i < 2000 ? 1 : 900)),
    { targetBytes: 2000 },
  );
  assert.deepEqual(
    seen,
    Array.from({ length: 4000 }, (_, i) => i + 1),
  );
  assert.ok(ranges.every(({ bytes }) => bytes <= 8000));
});

test('ranges of any lengths have all records within the limit, except a single record that exceeds it', async () => {
  const lengths = fc.array(fc.nat({ max: 9000 }), { minLength: 1, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: 1500 }), lengths, async (n, each) => {
      const { seen, ranges } = await readAll(n, each);
      assert.deepEqual(
        seen,
        Array.from({ length: n }, (_, i) => i + 1),
      );
      assert.ok(ranges.every(({ bytes, size }) => bytes <= 4000 || (size <= 1 && bytes <= 9000)));
      assert.equal(ranges.at(-1)?.range.upTo, undefined);
    }),
    { numRuns: 8 },
  );
});

test('a range that times out is halved, down to a single record', async () => {
  const { seen } = await readAll(1000, [10], { slow: 7 });
  assert.deepEqual(
    seen,
    Array.from({ length: 1000 }, (_, i) => i + 1),
  );
  await assert.rejects(readAll(1000, [10], { slow: 0 }), RecordTooSlow);
});
