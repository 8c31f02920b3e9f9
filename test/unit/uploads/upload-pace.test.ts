import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createPace } from '../../../services/uploads/streaming/upload-pace.ts';

const limit = { bytesPerSecond: 1000, overSeconds: 10 };
const seconds = (count: number, bytes: number, held = false) =>
  Array.from({ length: count }, () => [bytes, held] as const);
const judge = (course: (readonly [number, boolean])[], given = limit) => {
  const pace = createPace(given);
  return course.map(([bytes, held]) => pace.second(bytes, held)).indexOf(false);
};

const TABLE: [string, (readonly [number, boolean])[], number][] = [
  ['a client that sends nothing is too slow after ten seconds', seconds(20, 0), 9],
  ['a client at half the minimum rate is too slow after twenty seconds', seconds(40, 500), 19],
  ['a client at the minimum rate may continue', seconds(100, 1000), -1],
  ['a client may pause briefly', [...seconds(5, 2000), ...seconds(9, 0), ...seconds(5, 2000)], -1],
  ['a fast start allows no longer pause', [...seconds(5, 1e9), ...seconds(20, 0)], 14],
  ['a delay caused by the server does not count against the client', seconds(100, 0, true), -1],
];

for (const [what, course, end] of TABLE) test(what, () => assert.equal(judge(course), end));

test('a rate of 0 disables the check', () => {
  assert.equal(judge(seconds(1000, 0), { bytesPerSecond: 0, overSeconds: 10 }), -1);
});

test('a client that keeps the minimum rate is never too slow, and one that sends nothing always is', () => {
  const rate = fc.integer({ min: 1, max: 10_000 });
  const over = fc.integer({ min: 1, max: 60 });
  fc.assert(
    fc.property(rate, over, fc.array(fc.nat(10_000)), (bytesPerSecond, overSeconds, more) => {
      const given = { bytesPerSecond, overSeconds };
      assert.equal(
        judge(
          more.map((extra) => [bytesPerSecond + extra, false] as const),
          given,
        ),
        -1,
      );
      const silent = judge(
        [...more.map((bytes) => [bytes, false] as const), ...seconds(overSeconds, 0)],
        given,
      );
      assert.notEqual(silent, -1);
    }),
  );
});
