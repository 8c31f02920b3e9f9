import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  batchStatus,
  desiredFileState,
  estimateCompletion,
  progressPercentage,
  uploadSessionOutcome,
  type FileCounts,
} from '../../../domain/upload-sessions/upload-session.ts';

const counts = (some: Partial<FileCounts>): FileCounts => {
  const all = { completed: 0, failed: 0, skipped: 0, pending: 0, ...some };
  return { ...all, total: all.completed + all.failed + all.skipped + all.pending };
};

const [early, late] = [new Date(1000), new Date(2000)];
for (const [session, fileStartedAt, wanted] of [
  [{ status: 'processing' }, early, 'run'],
  [{ status: 'processing', pausedAt: early }, early, 'pause'],
  [{ status: 'uploading', pausedAt: early }, null, 'pause'],
  [{ status: 'cancelled', completedAt: late }, early, 'cancel'],
  [{ status: 'cancelled', completedAt: early }, late, 'run'],
  [{ status: 'cancelled', completedAt: early }, null, 'run'],
  [{ status: 'completed', completedAt: late }, early, 'run'],
  [{ status: 'failed', completedAt: late }, early, 'run'],
] as const) {
  test(`a file of a ${session.status} session should ${wanted}: ${JSON.stringify({ ...session, fileStartedAt })}`, () =>
    assert.equal(desiredFileState(session, fileStartedAt), wanted));
}

test('a session has failed only if every file failed, and has expired if the timer sealed it', () => {
  assert.equal(uploadSessionOutcome(counts({ completed: 1, failed: 3 }), 'client'), 'completed');
  assert.equal(uploadSessionOutcome(counts({ skipped: 1, failed: 3 }), 'client'), 'completed');
  assert.equal(uploadSessionOutcome(counts({ failed: 3 }), 'client'), 'failed');
  assert.equal(uploadSessionOutcome(counts({}), 'connection'), 'completed');
  assert.equal(uploadSessionOutcome(counts({ completed: 3 }), 'expiry'), 'expired');
});

test('progress is the percentage of files that have ended, and 100 exactly if none is pending', () => {
  assert.equal(progressPercentage(counts({})), 0);
  assert.equal(progressPercentage(counts({ completed: 1, pending: 2 })), 33.3);
  const some = fc.nat(200);
  fc.assert(
    fc.property(some, some, some, some, (completed, failed, skipped, pending) => {
      const all = counts({ completed, failed, skipped, pending });
      const progress = progressPercentage(all);
      assert.ok(progress >= 0 && progress <= 100);
      if (all.total > 0) assert.equal(progress === 100, pending === 0);
    }),
  );
});

test('the remaining time is estimated from the average time per finished file', () => {
  const began = new Date(0);
  const now = new Date(10_000);
  assert.deepEqual(estimateCompletion(counts({ completed: 5, pending: 10 }), began, now), new Date(30_000));
  assert.equal(estimateCompletion(counts({ pending: 10 }), began, now), undefined);
  assert.equal(estimateCompletion(counts({ completed: 10 }), began, now), undefined);
});

test('the response to a batch summarises its outcome', () => {
  const cases = [
    [{ accepted: 2, skipped: 0, rejected: 0 }, 'processing'],
    [{ accepted: 1, skipped: 1, rejected: 0 }, 'processing'],
    [{ accepted: 0, skipped: 2, rejected: 0 }, 'completed'],
    [{ accepted: 1, skipped: 0, rejected: 1 }, 'partial'],
    [{ accepted: 0, skipped: 0, rejected: 2 }, 'rejected'],
  ] as const;
  for (const [given, expected] of cases) assert.equal(batchStatus(given), expected);
});
