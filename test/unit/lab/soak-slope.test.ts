import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createDice } from '../../../lab/shared/dice.ts';
import { type Point, fitSlope, judge } from '../../../lab/soak/slope.ts';

const line = (perMinute: number, noise: (minute: number) => number = () => 0): Point[] =>
  Array.from({ length: 40 }, (_, index) => ({
    minute: 21 + index,
    value: 300 + perMinute * index + noise(index),
  }));

test('the slope of a straight line is its rise in an hour, without error', () => {
  const rises = fc.double({ min: -50, max: 50, noNaN: true });
  fc.assert(
    fc.property(rises, (perMinute) => {
      const slope = fitSlope(line(perMinute));
      assert.ok(slope);
      assert.ok(Math.abs(slope.perHour - perMinute * 60) < 1e-6);
      assert.ok(slope.error < 1e-6);
    }),
  );
});

test('noise neither hides a leak nor counts as one', () => {
  const dice = createDice(1);
  const noise = () => 10 * (dice.fraction() - 0.5);
  const leak = fitSlope(line(1, noise));
  assert.ok(leak && Math.abs(leak.perHour - 60) < leak.error);
  assert.equal(judge(leak, 1), 'rises');
  const level = fitSlope(line(0, noise));
  assert.ok(level && Math.abs(level.perHour) < level.error);
  assert.notEqual(judge(level, 1), 'rises');
});

test('a sawtooth without a trend is not a leak, wherever the hour begins', () => {
  for (const period of [3, 7, 13]) {
    for (let phase = 0; phase < period; phase += 1) {
      const slope = fitSlope(line(0, (minute) => 8 * ((minute + phase) % period)));
      assert.ok(slope);
      assert.notEqual(judge(slope, 1), 'rises', `period ${period}, phase ${phase}: ${slope.perHour}`);
    }
  }
});

test('a slope is judged by the limit and its error', () => {
  assert.equal(judge({ perHour: -3, error: 9 }, 1), 'level');
  assert.equal(judge({ perHour: 1, error: 0 }, 1), 'level');
  assert.equal(judge({ perHour: 5, error: 6 }, 1), 'unclear');
  assert.equal(judge({ perHour: 5, error: 3 }, 1), 'rises');
});

test('too few points have no slope', () => {
  assert.equal(fitSlope([]), undefined);
  assert.equal(fitSlope(line(1).slice(0, 4)), undefined);
});
