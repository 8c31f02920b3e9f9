import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSlots } from '../../../adapters/semaphore.ts';

const never = new AbortController().signal;

test('a free slot is taken at once, the next one waits for its turn in order', async () => {
  const slots = createSlots(1);
  const order: string[] = [];
  await slots.take(never);
  const first = slots.take(never).then(() => order.push('first'));
  const second = slots.take(never).then(() => order.push('second'));
  assert.deepEqual(order, []);
  slots.give();
  await first;
  assert.deepEqual(order, ['first']);
  slots.give();
  await second;
  assert.deepEqual(order, ['first', 'second']);
});

test('who gives up waiting gets the reason and takes no slot', async () => {
  const slots = createSlots(1);
  await slots.take(never);
  const impatient = new AbortController();
  const waiting = slots.take(impatient.signal);
  impatient.abort(new Error('no longer wanted'));
  await assert.rejects(waiting, /no longer wanted/);
  slots.give();
  await slots.take(never);
});

test('an aborted signal takes no slot', async () => {
  const slots = createSlots(1);
  await assert.rejects(slots.take(AbortSignal.abort(new Error('too late'))), /too late/);
  await slots.take(never);
});
