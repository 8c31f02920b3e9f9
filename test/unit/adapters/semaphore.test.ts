import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSemaphore } from '../../../adapters/semaphore.ts';

const never = new AbortController().signal;

test('a free slot is acquired at once, and further callers wait in order', async () => {
  const slots = createSemaphore(1);
  const order: string[] = [];
  await slots.acquire(never);
  const first = slots.acquire(never).then(() => order.push('first'));
  const second = slots.acquire(never).then(() => order.push('second'));
  assert.deepEqual(order, []);
  slots.release();
  await first;
  assert.deepEqual(order, ['first']);
  slots.release();
  await second;
  assert.deepEqual(order, ['first', 'second']);
});

test('an aborted wait rejects with the reason and takes no slot', async () => {
  const slots = createSemaphore(1);
  await slots.acquire(never);
  const impatient = new AbortController();
  const waiting = slots.acquire(impatient.signal);
  impatient.abort(new Error('no longer wanted'));
  await assert.rejects(waiting, /no longer wanted/);
  slots.release();
  await slots.acquire(never);
});

test('an already aborted signal takes no slot', async () => {
  const slots = createSemaphore(1);
  await assert.rejects(slots.acquire(AbortSignal.abort(new Error('too late'))), /too late/);
  await slots.acquire(never);
});
