import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTenantSlots } from '../../../api/http/tenant-slots.ts';
import { AppError } from '../../../domain/app-error.ts';

const here = new AbortController().signal;
const LONG = 60_000;
const refused = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;

test('every tenant has its own slots', async () => {
  const slots = createTenantSlots({ what: 'searches', atOnce: 2, waiting: 1, waitMs: LONG });
  const [first] = [await slots.acquire('a', here), await slots.acquire('a', here)];
  const third = slots.acquire('a', here);
  await assert.rejects(slots.acquire('a', here), (error) => {
    assert.ok(error instanceof AppError);
    assert.deepEqual([error.code, error.details.retryAfterSeconds], ['RATE_LIMITED', 60]);
    assert.equal(error.message, 'at most 2 searches of an account at once');
    return true;
  });
  await slots.acquire('b', here);
  first();
  first();
  const release = await third;
  const fourth = slots.acquire('a', here);
  release();
  await fourth;
});

test('a caller that waits too long is refused, one that disconnects leaves the queue, and neither keeps a slot', async () => {
  const slots = createTenantSlots({ what: 'searches', atOnce: 1, waiting: 1, waitMs: 1 });
  const release = await slots.acquire('a', here);
  await assert.rejects(slots.acquire('a', here), refused('RATE_LIMITED'));
  await assert.rejects(slots.acquire('a', AbortSignal.abort()), refused('CLIENT_GONE'));
  await assert.rejects(slots.acquire('a', here), refused('RATE_LIMITED'));
  release();
  (await slots.acquire('a', here))();
});
