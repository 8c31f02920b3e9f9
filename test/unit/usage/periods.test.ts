import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  billingPeriod,
  bucketsIn,
  labelOf,
  startOf,
  DAY_MS,
  monthOf,
} from '../../../domain/usage/periods.ts';

test('periods begin at their first moment in UTC, weeks on Monday', () => {
  const cases = [
    ['day', '2026-11-22T23:59:59.999Z', '2026-11-22'],
    ['week', '2026-11-22T00:00:00.000Z', '2026-11-16'],
    ['week', '2026-11-23T00:00:00.000Z', '2026-11-23'],
    ['week', '2027-01-01T00:00:00.000Z', '2026-12-28'],
    ['month', '2028-02-29T23:59:59.999Z', '2028-02-01'],
    ['quarter', '2026-12-31T23:59:59.999Z', '2026-10-01'],
    ['year', '2026-12-31T23:59:59.999Z', '2026-01-01'],
  ] as const;
  for (const [period, at, start] of cases) {
    assert.equal(startOf(period, new Date(at)).toISOString(), `${start}T00:00:00.000Z`, `${period} of ${at}`);
  }
});

test('billing periods have calendar lengths, including leap years', () => {
  const daysOf = (period: 'month' | 'quarter' | 'year', at: string) => {
    const { from, to } = billingPeriod(period, new Date(at));
    return (to.getTime() - from.getTime()) / DAY_MS;
  };
  assert.deepEqual(
    ['2026-02-14', '2028-02-29', '2100-02-01', '2026-12-31'].map((at) => daysOf('month', at)),
    [28, 29, 28, 31],
  );
  assert.deepEqual([daysOf('quarter', '2028-03-31'), daysOf('quarter', '2026-03-31')], [91, 90]);
  assert.deepEqual([daysOf('year', '2028-06-01'), daysOf('year', '2026-06-01')], [366, 365]);
});

test('adding months does not depend on the day', () => {
  assert.equal(monthOf(new Date('2026-01-31'), 1).toISOString(), '2026-02-01T00:00:00.000Z');
  assert.equal(monthOf(new Date('2026-03-31'), -13).toISOString(), '2025-02-01T00:00:00.000Z');
});

test('buckets have no gaps at the ends of months and years', () => {
  const range = { from: new Date('2027-12-31T22:15Z'), to: new Date('2028-03-01T00:00:00.001Z') };
  assert.deepEqual(
    bucketsIn('month', range).map((start) => labelOf('month', start)),
    ['2027-12', '2028-01', '2028-02', '2028-03'],
  );
  assert.equal(bucketsIn('day', range).length, 1 + 31 + 29 + 1);
  assert.equal(labelOf('day', new Date('2028-02-29')), '2028-02-29');
  assert.equal(labelOf('hour', new Date('2027-12-31T22:00Z')), '2027-12-31 22:00');
  assert.deepEqual(bucketsIn('hour', { from: range.to, to: range.from }), []);
});
