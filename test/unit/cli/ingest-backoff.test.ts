import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ApiProblem, ConnectionLost, isPassing } from '../../../cli/ingest/api-problem.ts';
import { pauseMs, retryAfterMs } from '../../../cli/ingest/backoff.ts';

const chance = fc.double({ min: 0, max: 1, noNaN: true });

test('pauses grow, to half a minute at most, and are never shorter than the server asks for', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000 }), chance, fc.nat(600_000), (failures, luck, asked) => {
      const own = pauseMs(failures, 0, luck);
      assert.ok(own >= 250 && own <= 30_000);
      assert.ok(pauseMs(failures + 1, 0, luck) >= own);
      if (asked > 0) assert.ok(pauseMs(failures, asked, luck) >= asked);
    }),
  );
});

test('Retry-After is read in seconds and as a date', () => {
  const now = Date.parse('2026-11-21T12:00:00Z');
  assert.equal(retryAfterMs('7', now), 7000);
  assert.equal(retryAfterMs('Sat, 21 Nov 2026 12:00:30 GMT', now), 30_000);
  assert.equal(retryAfterMs('Sat, 21 Nov 2026 11:00:00 GMT', now), 0);
  assert.equal(retryAfterMs('soon', now), 0);
  assert.equal(retryAfterMs(null, now), 0);
});

test('what passes is tried again; a bad request and used-up credits are not', () => {
  assert.ok(isPassing(new ConnectionLost('gone')));
  assert.ok(isPassing(new ApiProblem(429, 'UPLOAD_BACKPRESSURE', 'busy')));
  assert.ok(isPassing(new ApiProblem(503, 'SERVICE_UNAVAILABLE', 'out')));
  assert.ok(isPassing(new ApiProblem(409, 'REQUEST_IN_FLIGHT', 'twin')));
  assert.ok(!isPassing(new ApiProblem(429, 'QUOTA_EXHAUSTED', 'no credits')));
  assert.ok(!isPassing(new ApiProblem(422, 'VALIDATION_FAILED', 'bad')));
  assert.ok(!isPassing(new Error('other')));
});
