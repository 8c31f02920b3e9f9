import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { splitRange } from '../../../domain/usage/split-range.ts';
import { DAY_MS, HOUR_MS, type TimeRange } from '../../../domain/usage/periods.ts';

const WEEK = 7 * DAY_MS;
const moment = fc.integer({ min: 0, max: WEEK });
const hour = fc.integer({ min: 0, max: WEEK / HOUR_MS }).map((count) => count * HOUR_MS);

test('the parts cover a range exactly once, with rollups only for complete hours and days', () => {
  fc.assert(
    fc.property(
      moment,
      moment,
      hour,
      fc.uniqueArray(hour, { maxLength: 4 }),
      fc.constantFrom('hour', 'day'),
      (a, b, until, late, grain) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)];
        const rolledUpTo = new Date(until);
        const lateHours = late.filter((at) => at < until).map((at) => new Date(at));
        const { days, hours, events } = splitRange(
          { from: new Date(from), to: new Date(to) },
          { rolledUpTo, lateHours },
          grain,
        );
        const parts = [...days, ...hours, ...events].toSorted((x, y) => x.from.getTime() - y.from.getTime());
        let at = from;
        for (const part of parts) {
          assert.equal(part.from.getTime(), at, 'the parts must have no gaps and no overlaps');
          assert.ok(part.to > part.from);
          at = part.to.getTime();
        }
        assert.equal(at, to);
        for (const [ranges, unit] of [
          [days, DAY_MS],
          [hours, HOUR_MS],
        ] as const) {
          for (const range of ranges) {
            assert.equal(range.from.getTime() % unit, 0);
            assert.equal(range.to.getTime() % unit, 0);
            assert.ok(range.to <= rolledUpTo);
            assert.ok(!lateHours.some((one) => one >= range.from && one < range.to));
          }
        }
        if (grain === 'hour') assert.deepEqual(days, []);
      },
    ),
  );
});

test('a month with rollups is read by days, except at its edges', () => {
  const range = { from: new Date('2028-02-01T00:30Z'), to: new Date('2028-03-01T00:00Z') };
  const state = { rolledUpTo: new Date('2028-03-05T10:00Z'), lateHours: [] };
  const shown = (ranges: TimeRange[]) =>
    ranges.map(({ from, to }) => [from, to].map((at) => at.toISOString().slice(0, 16)));
  const { days, hours, events } = splitRange(range, state);
  assert.deepEqual(shown(days), [['2028-02-02T00:00', '2028-03-01T00:00']]);
  assert.deepEqual(shown(hours), [['2028-02-01T01:00', '2028-02-02T00:00']]);
  assert.deepEqual(shown(events), [['2028-02-01T00:30', '2028-02-01T01:00']]);
});
