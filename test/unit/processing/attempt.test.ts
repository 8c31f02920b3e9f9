import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attempt, MAX_COUNTED_FAILURES, type FailureClass } from '../../../activities/attempt.ts';
import { ObjectStoreUnavailable } from '../../../adapters/object-store/errors.ts';

const nothing = () => undefined;

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  const [outcome] = await Promise.allSettled([promise]);
  return outcome.status === 'rejected' ? outcome.reason : undefined;
}

/** Runs attempts one after the other as the engine would, each with the details of the last heartbeat before it. */
async function failures(
  error: Error,
  most: number,
  classify: () => FailureClass | undefined = () => undefined,
) {
  let details: unknown;
  const thrown: ApplicationFailure[] = [];
  for (let number = 1; number <= most; number += 1) {
    const env = new MockActivityEnvironment({ attempt: number, heartbeatDetails: details });
    env.on('heartbeat', (beaten: unknown) => (details = beaten));
    const work = async () => {
      throw error;
    };
    const failure = await rejection(env.run(() => attempt(work, classify)));
    assert.ok(failure instanceof ApplicationFailure);
    thrown.push(failure);
    if (failure.nonRetryable) break;
  }
  return thrown;
}

test('a counted failure is tried three times, then final', async () => {
  const thrown = await failures(new Error('x'), 9, () => ({
    kind: 'counted',
    code: 'DECODER_CRASHED',
    message: 'it died',
  }));
  assert.deepEqual(
    thrown.map(({ nonRetryable }) => nonRetryable),
    [false, false, true],
  );
  assert.deepEqual([thrown[2]?.type, thrown[2]?.message], ['DECODER_CRASHED', 'it died, 3 times']);
});

test('an outage of a server is waited out, however long, and is not counted', async () => {
  const thrown = await failures(new ObjectStoreUnavailable('gone'), 20);
  assert.equal(thrown.length, 20);
  assert.ok(thrown.every(({ type, nonRetryable }) => type === 'SERVER_UNAVAILABLE' && !nonRetryable));
});

test('a defect is final after three attempts, and its message is not shown', async () => {
  const thrown = await failures(new TypeError('secret is undefined'), 9);
  assert.equal(thrown.length, MAX_COUNTED_FAILURES);
  assert.ok(thrown.every(({ message }) => !message.includes('secret')));
});

test('a fact is final at once', async () => {
  const thrown = await failures(new Error('x'), 9, () => ({
    kind: 'permanent',
    code: 'IMAGE_UNREADABLE',
    message: 'torn',
  }));
  assert.deepEqual(
    thrown.map(({ type, nonRetryable }) => [type, nonRetryable]),
    [['IMAGE_UNREADABLE', true]],
  );
});

test('the time a provider asks for is kept', async () => {
  const [failure] = await failures(new Error('x'), 1, () => ({
    kind: 'retryable',
    code: 'M',
    message: 'm',
    retryAfterSeconds: 7,
  }));
  assert.equal(failure?.nextRetryDelay, '7 seconds');
});

test('attempts that took their worker down are counted', async () => {
  const env = new MockActivityEnvironment({
    attempt: 4,
    heartbeatDetails: { counted: MAX_COUNTED_FAILURES },
  });
  const failure = await rejection(env.run(() => attempt(() => assert.fail('must not run'), nothing)));
  assert.ok(failure instanceof ApplicationFailure);
  assert.deepEqual([failure.type, failure.nonRetryable], ['WORKER_LOST', true]);
});

test('a worker that stops in good order is not counted', async () => {
  let details: unknown;
  const env = new MockActivityEnvironment({ heartbeatDetails: { counted: 1 } });
  env.on('heartbeat', (beaten: unknown) => (details = beaten));
  const work = async () => {
    throw new CancelledFailure('WORKER_SHUTDOWN');
  };
  await assert.rejects(
    env.run(() => attempt(work, () => undefined)),
    CancelledFailure,
  );
  assert.deepEqual(details, { counted: 1 });
});
