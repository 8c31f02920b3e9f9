import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { retryAfterSeconds } from '../../../domain/retry-after.ts';

const now = Date.UTC(2026, 0, 1);

test('Retry-After is read in seconds or as a date, rounded up and capped at one hour', () => {
  assert.equal(retryAfterSeconds('0', now), 0);
  assert.equal(retryAfterSeconds('1.2', now), 2);
  assert.equal(retryAfterSeconds('86400', now), 3600);
  assert.equal(retryAfterSeconds('Thu, 01 Jan 2026 00:00:30 GMT', now), 30);
  assert.equal(retryAfterSeconds('Wed, 31 Dec 2025 00:00:00 GMT', now), 0);
  for (const absent of [undefined, null, '', ' ', 'soon']) {
    assert.equal(retryAfterSeconds(absent, now), undefined);
  }
});

test('any header yields whole seconds from 0 to 3600, or undefined', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.double().map(String)), (header) => {
      const wait = retryAfterSeconds(header, now);
      assert.ok(wait === undefined || (Number.isInteger(wait) && wait >= 0 && wait <= 3600));
    }),
  );
});
