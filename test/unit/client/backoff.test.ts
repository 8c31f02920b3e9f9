import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ApiProblem, ConnectionLost, isRetryable } from '../../../client/api-problem.ts';
import { pauseMs } from '../../../client/api.ts';

const chance = fc.double({ min: 0, max: 1, noNaN: true });

test('pauses grow to at most 30 seconds and are never shorter than Retry-After', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000 }), chance, fc.nat(600_000), (failures, luck, asked) => {
      const own = pauseMs(failures, 0, luck);
      assert.ok(own >= 250 && own <= 30_000);
      assert.ok(pauseMs(failures + 1, 0, luck) >= own);
      if (asked > 0) assert.ok(pauseMs(failures, asked, luck) >= asked);
    }),
  );
});

test('temporary errors are retryable; a bad request and exhausted credits are not', () => {
  assert.ok(isRetryable(new ConnectionLost('gone')));
  assert.ok(isRetryable(new ApiProblem(429, 'UPLOAD_BACKPRESSURE', 'busy')));
  assert.ok(isRetryable(new ApiProblem(503, 'SERVICE_UNAVAILABLE', 'out')));
  assert.ok(isRetryable(new ApiProblem(409, 'REQUEST_IN_FLIGHT', 'twin')));
  assert.ok(!isRetryable(new ApiProblem(429, 'QUOTA_EXHAUSTED', 'no credits')));
  assert.ok(!isRetryable(new ApiProblem(422, 'VALIDATION_FAILED', 'bad')));
  assert.ok(!isRetryable(new Error('other')));
});
