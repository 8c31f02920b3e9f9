import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { piecesOf, planChaos } from '../../../lab/chaos/plan.ts';
import { shareDone, StalledRun, watchForStall } from '../../../lab/chaos/progress.ts';

const WHOLE = { videos: true, fullDisk: true, clocks: true };
const run = fc
  .record({
    seed: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    files: fc.integer({ min: 1, max: 200 }),
    kills: fc.integer({ min: 0, max: 20 }),
  })
  .chain(({ seed, files, kills }) => {
    const plan = planChaos({ files, kills, seed, ...WHOLE });
    const contents = new Set(plan.deliveries.flatMap(piecesOf).map(({ content }) => content)).size;
    return fc.record({
      plan: fc.constant(plan),
      files: fc.constant(files),
      contents: fc.constant(contents),
      accepted: fc.integer({ min: 0, max: files }),
      stored: fc.integer({ min: 0, max: contents }),
    });
  });

test('every fault of a plan happens, however many files of the run are given up', () => {
  fc.assert(
    fc.property(run, ({ plan, files, contents, accepted, stored }) => {
      const done = shareDone({ files, contents, accepted, stored, ended: stored, uploading: false });
      assert.deepEqual(
        plan.faults.filter(({ at }) => done < at),
        [],
      );
    }),
  );
});

test('a run whose client gave up at 179 of 200 files waits for no fault, with any of 2,000 seeds', () => {
  const given = { files: 200, contents: 180, accepted: 179, stored: 180, ended: 180 };
  const waiting = (uploading: boolean) => {
    const done = shareDone({ ...given, uploading });
    return Array.from({ length: 2_000 }, (_, seed) =>
      planChaos({ files: 200, kills: 10, seed, ...WHOLE }),
    ).filter(({ faults }) => faults.some(({ at }) => at > done)).length;
  };
  assert.ok(waiting(true) > 500, 'too few plans have final faults that wait for files still being uploaded');
  assert.equal(waiting(false), 0);
});

test('the share grows with every file from 0 to 1 and does not fall when the uploads end', () => {
  fc.assert(
    fc.property(run, ({ files, contents, accepted, stored }) => {
      const counts = { files, contents, accepted, stored, ended: stored, uploading: true };
      const now = shareDone(counts);
      assert.ok(now >= 0 && now <= 1);
      assert.ok(shareDone({ ...counts, accepted: Math.min(files, accepted + 1) }) >= now);
      assert.ok(shareDone({ ...counts, uploading: false }) >= now);
    }),
  );
});

test('a run without progress is explained and then given up', async () => {
  const lines: string[] = [];
  const { signal } = new AbortController();
  let explained = 0;
  const still = watchForStall({
    state: () => 'the same',
    explain: () => Promise.resolve([`engine waits, ${(explained += 1)}`]),
    print: (line) => lines.push(line),
    signal,
    explainedAfterMs: 10,
    givenUpAfterMs: 60,
  });
  await assert.rejects(still, StalledRun);
  // On a slow machine the run may be given up at the first check.
  assert.ok(explained === 1 || explained === 2, String(explained));
  assert.equal(lines.at(-1)?.trim(), `engine waits, ${explained}`);
});

test('a run that continues is not given up', async () => {
  const over = new AbortController();
  let state = 0;
  const still = watchForStall({
    state() {
      state += 1;
      if (state > 30) over.abort();
      return String(state);
    },
    explain: () => Promise.resolve([]),
    print: () => assert.fail('the run makes progress'),
    signal: over.signal,
    explainedAfterMs: 1,
    givenUpAfterMs: 2,
  });
  await assert.rejects(still, { name: 'AbortError' });
});
