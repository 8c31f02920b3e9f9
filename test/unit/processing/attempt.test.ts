import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  attempt,
  MAX_COUNTED_FAILURES,
  MAX_LOST_WORKERS,
  type AttemptControls,
  type FailureClass,
} from '../../../activities/attempt.ts';
import type { HeartbeatDetails } from '../../../temporal/contract/process-file.ts';
import { ObjectStoreUnavailable } from '../../../adapters/object-store/object-store.ts';

const nothing = () => undefined;

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  const [outcome] = await Promise.allSettled([promise]);
  return outcome.status === 'rejected' ? outcome.reason : undefined;
}

/** Runs attempts in sequence as the engine would, each with the last heartbeat details before it. */
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

test('a counted failure is final at the third attempt', async () => {
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

test('a first attempt that ends within a second sends no heartbeat', async () => {
  const env = new MockActivityEnvironment({ attempt: 1 });
  env.on('heartbeat', () => assert.fail('a write of the engine'));
  assert.equal(await env.run(() => attempt(async () => 'done', nothing)), 'done');
});

test('an outage is retried without limit and is not counted', async () => {
  const thrown = await failures(new ObjectStoreUnavailable('gone'), 20);
  assert.equal(thrown.length, 20);
  assert.ok(thrown.every(({ type, nonRetryable }) => type === 'SERVER_UNAVAILABLE' && !nonRetryable));
});

test('an unexpected error is final at the third attempt, and its message is not exposed', async () => {
  const thrown = await failures(new TypeError('secret is undefined'), 9);
  assert.equal(thrown.length, MAX_COUNTED_FAILURES);
  assert.ok(thrown.every(({ message }) => !message.includes('secret')));
});

test('a permanent failure is final at once', async () => {
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

test('a retry delay requested by a provider is respected', async () => {
  const [failure] = await failures(new Error('x'), 1, () => ({
    kind: 'retryable',
    code: 'M',
    message: 'm',
    retryAfterSeconds: 7,
  }));
  assert.equal(failure?.nextRetryDelay, '7 seconds');
});

/** Details after attempts that were lost with their worker: `process` is where the attempts before ran. */
async function lose(attempts: number, process: (its: unknown) => unknown): Promise<unknown> {
  let details: unknown;
  for (let number = 1; number <= attempts; number += 1) {
    const env = new MockActivityEnvironment({ attempt: number, heartbeatDetails: details });
    env.on('heartbeat', (beaten: unknown) => (details = beaten));
    const work = ({ signal }: AttemptControls) =>
      new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('ended')), { once: true });
      });
    const running = rejection(env.run(() => attempt(work, nothing)));
    // A killed worker sends no more heartbeats, so its last details stay.
    env.removeAllListeners('heartbeat');
    env.cancel();
    await running;
    details = process(details);
  }
  return details;
}

test('a file completes after its worker was killed four times, the first time within a second', async () => {
  const details = await lose(4, (its) => ({ ...(its as HeartbeatDetails), process: 'killed' }));
  assert.deepEqual(details, { counted: 0, lost: 3, process: 'killed' });
  const last = new MockActivityEnvironment({ attempt: 5, heartbeatDetails: details });
  assert.equal(await last.run(() => attempt(async () => 'done', nothing)), 'done');
});

test('attempts that a worker loses because it is suspended are not counted', async () => {
  const { lost, counted } = (await lose(3, (its) => its)) as HeartbeatDetails;
  assert.deepEqual({ lost, counted }, { lost: 1, counted: 0 });
  const late = { ...((await lose(2, (its) => its)) as HeartbeatDetails), lost: MAX_LOST_WORKERS };
  const last = new MockActivityEnvironment({ attempt: 12, heartbeatDetails: late });
  assert.equal(await last.run(() => attempt(async () => 'done', nothing)), 'done');
});

test('a lost worker does not count as a failure of the reader', async () => {
  const env = new MockActivityEnvironment({ attempt: 4, heartbeatDetails: { counted: 1, lost: 2 } });
  let details: unknown;
  env.on('heartbeat', (beaten: unknown) => (details = beaten));
  const crashed = () => ({ kind: 'counted', code: 'READER_CRASHED', message: 'it died' }) as const;
  const work = async () => {
    throw new Error('x');
  };
  const failure = await rejection(env.run(() => attempt(work, crashed)));
  assert.ok(failure instanceof ApplicationFailure);
  assert.equal(failure.nonRetryable, false);
  assert.deepEqual(details, { counted: 2, lost: 2 });
});

test('work that loses its worker too often fails permanently', async () => {
  const env = new MockActivityEnvironment({
    attempt: 11,
    heartbeatDetails: { lost: MAX_LOST_WORKERS },
  });
  const failure = await rejection(env.run(() => attempt(() => assert.fail('must not run'), nothing)));
  assert.ok(failure instanceof ApplicationFailure);
  assert.deepEqual([failure.type, failure.nonRetryable], ['WORKER_LOST', true]);
});

test('a graceful worker shutdown is not counted', async () => {
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
  assert.deepEqual(details, { counted: 1, lost: 0 });
});

test('details kept by an attempt reach the next ones and stay until the work has ended', async () => {
  let details: unknown;
  const seen: unknown[] = [];
  for (const kept of ['an answer', undefined, undefined]) {
    const env = new MockActivityEnvironment({ heartbeatDetails: details });
    env.on('heartbeat', (beaten: unknown) => (details = beaten));
    const work = async (controls: AttemptControls) => {
      seen.push(controls.kept);
      if (kept !== undefined) controls.keep(kept);
      throw new ObjectStoreUnavailable('gone');
    };
    await rejection(env.run(() => attempt(work, nothing)));
  }
  assert.deepEqual(seen, [undefined, 'an answer', 'an answer']);
});
