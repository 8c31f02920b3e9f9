import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  findStuck,
  NO_WORKER_MS,
  STUCK_CAUSES,
  type PendingWork,
  type StuckCause,
} from '../../../domain/stuck.ts';

const NOW = new Date('2026-01-01T12:00:00.000Z');
const MINUTE = 60_000;
const PATIENCE = 30 * MINUTE;
const ago = (minutes: number) => new Date(NOW.getTime() - minutes * MINUTE);
const failedWith = (code: string) => ({ lastFailure: { code } });

/** A step that was scheduled an hour ago. */
const waiting: PendingWork = { state: 'waiting', since: ago(60), dueAt: ago(60) };
const running: PendingWork = { state: 'running', since: ago(60), lastStartedAt: ago(60) };
const polled = { workerSeenAt: ago(0.5) };

const TABLE: [string, PendingWork[], StuckCause | undefined][] = [
  ['no pending work at all', [], 'no_worker'],
  ['a step whose queue was never polled', [waiting], 'no_worker'],
  ['a step whose queue was last polled 40 minutes ago', [{ ...waiting, workerSeenAt: ago(40) }], 'no_worker'],
  [
    'a step whose queue has had no worker for two minutes',
    [{ ...waiting, since: ago(2), dueAt: ago(2) }],
    'no_worker',
  ],
  ['a step whose last worker was seen two minutes ago', [{ ...waiting, workerSeenAt: ago(2) }], 'no_worker'],
  [
    'a retry that is due on a queue without a worker',
    [{ ...waiting, dueAt: ago(2), workerSeenAt: ago(3), ...failedWith('MODEL_RATE_LIMITED') }],
    'no_worker',
  ],
  [
    'a step on a queue without a worker, beside one that runs',
    [waiting, { ...running, lastHeartbeatAt: ago(0.1) }],
    undefined,
  ],
  ['a step behind others on a polled queue', [{ ...waiting, ...polled }], undefined],
  ['a step scheduled just now', [{ state: 'waiting', since: ago(1), dueAt: ago(1) }], undefined],
  ['an attempt that heartbeats', [{ ...running, lastHeartbeatAt: ago(0.1) }], undefined],
  [
    'an attempt that heartbeated 31 minutes ago',
    [{ ...running, lastHeartbeatAt: ago(31) }],
    'heartbeat_lost',
  ],
  ['an attempt that began 29 minutes ago', [{ ...running, lastStartedAt: ago(29) }], undefined],
  [
    'a later attempt that heartbeats',
    [{ ...running, ...failedWith('INTERNAL'), lastHeartbeatAt: ago(0.1) }],
    undefined,
  ],
  [
    'a rate-limited model, before its next attempt',
    [{ ...waiting, dueAt: ago(-1), lastHeartbeatAt: ago(1), ...polled, ...failedWith('MODEL_RATE_LIMITED') }],
    'waiting_external',
  ],
  [
    'a model that has been rate-limited for a minute',
    [{ ...waiting, since: ago(1), dueAt: ago(-1), ...polled, ...failedWith('MODEL_RATE_LIMITED') }],
    undefined,
  ],
  [
    'an outage of a server',
    [{ ...waiting, dueAt: ago(-1), ...polled, ...failedWith('SERVER_UNAVAILABLE') }],
    'waiting_external',
  ],
  [
    'a video without ffmpeg',
    [{ ...waiting, dueAt: ago(-1), ...polled, ...failedWith('FFMPEG_MISSING') }],
    'waiting_external',
  ],
  [
    'a video whose reader crashes',
    [{ ...waiting, dueAt: ago(-1), ...polled, ...failedWith('VIDEO_READER_CRASHED') }],
    'retrying',
  ],
  [
    'a video that waits for its next time slice behind other accounts',
    [{ ...waiting, dueAt: ago(-1), ...polled }],
    undefined,
  ],
  ['a video without a worker that decodes', [{ ...waiting, dueAt: ago(40) }], 'no_worker'],
  [
    'a link whose site asks to come back later',
    [{ ...waiting, dueAt: ago(-4), ...polled, ...failedWith('URL_ANSWERED_ERROR') }],
    'waiting_external',
  ],
  [
    'a link whose site cannot be reached',
    [{ ...waiting, dueAt: ago(-1), ...polled, ...failedWith('URL_UNREACHABLE') }],
    'waiting_external',
  ],
  [
    'a link whose page crashes its parser',
    [{ ...waiting, dueAt: ago(-1), ...polled, ...failedWith('PARSER_CRASHED') }],
    'retrying',
  ],
  ['a link behind other pages of its site', [{ ...waiting, dueAt: ago(-0.1), ...polled }], undefined],
  [
    'an unexpected error, retried repeatedly',
    [{ ...waiting, dueAt: ago(-1), ...polled, ...failedWith('INTERNAL') }],
    'retrying',
  ],
  [
    'an attempt that is just due, on a polled queue',
    [{ ...waiting, dueAt: ago(0), ...polled, ...failedWith('INTERNAL') }],
    'retrying',
  ],
  [
    'an attempt that is long overdue, on an unpolled queue',
    [{ ...waiting, dueAt: ago(40), ...failedWith('MODEL_TIMEOUT') }],
    'no_worker',
  ],
  [
    'a worker lost long ago',
    [{ ...waiting, dueAt: ago(-1), lastHeartbeatAt: ago(45), ...polled, ...failedWith('WORKER_LOST') }],
    'heartbeat_lost',
  ],
  [
    'a worker lost just now',
    [{ ...waiting, dueAt: ago(-1), lastHeartbeatAt: ago(0.2), ...polled, ...failedWith('WORKER_LOST') }],
    undefined,
  ],
  ['a dead step beside one that is alive', [waiting, { ...running, lastHeartbeatAt: ago(1) }], undefined],
];

for (const [what, pending, cause] of TABLE) {
  test(`${what}: ${cause ?? 'not stuck'}`, () => {
    assert.equal(findStuck({ lastProgressAt: ago(60), pending, paused: false }, NOW, PATIENCE)?.cause, cause);
  });
}

test('recent progress is a sign of life even if other work waits', () => {
  assert.equal(
    findStuck({ lastProgressAt: ago(1), pending: [waiting], paused: false }, NOW, PATIENCE),
    undefined,
  );
});

const at = fc.integer({ min: 0, max: 600 }).map((minutes) => ago(minutes));
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const work: fc.Arbitrary<PendingWork> = fc
  .record({
    state: fc.constantFrom('waiting' as const, 'running' as const),
    since: at,
    lastStartedAt: maybe(at),
    lastHeartbeatAt: maybe(at),
    dueAt: maybe(fc.integer({ min: -60, max: 600 }).map((minutes) => ago(minutes))),
    lastFailure: maybe(fc.constantFrom('INTERNAL', 'WORKER_LOST', 'MODEL_TIMEOUT').map((code) => ({ code }))),
    workerSeenAt: maybe(at),
  })
  .map(
    (given) =>
      Object.fromEntries(Object.entries(given).filter(([, value]) => value)) as unknown as PendingWork,
  );
const signs = fc.record({
  lastProgressAt: at,
  pending: fc.array(work, { maxLength: 5 }),
  paused: fc.boolean(),
});
const patience = fc.integer({ min: 1, max: 300 }).map((minutes) => minutes * MINUTE);

test('a file with a heartbeating attempt is not stuck even if other work waits', () => {
  fc.assert(
    fc.property(signs, work, patience, ({ lastProgressAt, pending }, alive, most) => {
      const beating: PendingWork = { ...alive, state: 'running', lastHeartbeatAt: ago(0.5) };
      assert.equal(
        findStuck({ lastProgressAt, pending: [...pending, beating], paused: false }, NOW, most),
        undefined,
      );
    }),
  );
});

test('a file that is paused with its session is not stuck', () => {
  fc.assert(
    fc.property(signs, patience, (given, most) => {
      assert.equal(findStuck({ ...given, paused: true }, NOW, most), undefined);
    }),
  );
});

test('a stuck file has a cause and has been silent for the whole threshold', () => {
  fc.assert(
    fc.property(signs, patience, (given, most) => {
      const stuck = findStuck(given, NOW, most);
      if (!stuck) return;
      assert.ok(STUCK_CAUSES.includes(stuck.cause));
      const least = stuck.cause === 'no_worker' ? Math.min(most, NO_WORKER_MS) : most;
      assert.ok(NOW.getTime() - stuck.lastSignOfLifeAt.getTime() >= least);
      assert.ok(stuck.lastSignOfLifeAt >= given.lastProgressAt);
    }),
  );
});

test('a longer threshold never finds more stuck files than a shorter one', () => {
  fc.assert(
    fc.property(signs, patience, patience, (given, one, other) => {
      const [short, long] = [Math.min(one, other), Math.max(one, other)];
      if (findStuck(given, NOW, long)) assert.ok(findStuck(given, NOW, short));
    }),
  );
});
