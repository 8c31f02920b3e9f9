import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { test } from 'node:test';
import { measureCapacity } from '../../../lab/soak/load.ts';

const { signal } = new AbortController();

test('a capacity is measured over at least one whole visit, however slow the service is', async () => {
  const visit = async () => {
    await delay(200);
    return 2;
  };
  const capacity = await measureCapacity({ visit }, 0.05, signal);
  assert.ok(capacity > 0 && capacity <= 2 / 0.05, String(capacity));
});

test('a failed visit ends the measurement', async () => {
  const visit = () => Promise.reject(new Error('refused'));
  await assert.rejects(measureCapacity({ visit }, 0.05, signal), /refused/);
});
