import { WorkflowFailedError } from '@temporalio/client';
import { CancelledFailure } from '@temporalio/common';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import {
  REPROCESSING_CHANGED,
  type ReprocessingRound,
  type ReprocessingTarget,
} from '../../temporal/contract/reprocess-files.ts';
import { eventually } from '../support/api.ts';
import { startWorkflowEnv, type FakeActivities, type WorkflowEnv } from '../support/workflow-env.ts';

let testEnv: WorkflowEnv;
before(async () => {
  testEnv = await startWorkflowEnv();
});
after(() => testEnv.close());

const round = (values: Partial<ReprocessingRound> = {}): ReprocessingRound => ({
  state: 'processing',
  opened: 0,
  seen: 0,
  processing: 0,
  filesPerMinute: null,
  details: '',
  ...values,
});

async function start(name = 'reprocessFiles') {
  const target: ReprocessingTarget = { reprocessingId: randomUUID(), tenantId: randomUUID() };
  return testEnv.env.client.workflow.start(name, {
    workflowId: `reprocessing/${target.reprocessingId}`,
    taskQueue: 'workflows',
    args: [target],
  });
}

/** One more than a run has. */
const ROUNDS = 201;

/** Activities that answer with these rounds, the last of them again and again. */
function recorder(answer: (count: number) => ReprocessingRound) {
  const seen = { rounds: 0, failed: [] as string[] };
  const activities: FakeActivities = {
    advanceReprocessing: () => answer((seen.rounds += 1)),
    failReprocessing: (_target: ReprocessingTarget, { code }: { code: string }) =>
      void seen.failed.push(code),
  };
  return { seen, activities };
}

test('rounds without a file to wait for follow at once, and many of them continue as new runs', async () => {
  const { seen, activities } = recorder((count) =>
    count < ROUNDS ? round({ seen: 50 }) : round({ state: 'ended' }),
  );
  await testEnv.withWorkers(activities, async () => {
    const handle = await start();
    await handle.result();
    assert.equal(seen.rounds, ROUNDS);
    const first = await testEnv.env.client.workflow
      .getHandle(handle.workflowId, handle.firstExecutionRunId)
      .describe();
    assert.equal(first.status.name, 'CONTINUED_AS_NEW');
    assert.ok(first.historyLength < 2000, `${first.historyLength} events`);
  });
});

test('a paused one waits for the signal of its resumption', async () => {
  let resumed = false;
  const { seen, activities } = recorder(() => round({ state: resumed ? 'ended' : 'paused' }));
  await testEnv.withWorkers(activities, async () => {
    const handle = await start();
    await eventually(async () => assert.equal(seen.rounds, 1));
    resumed = true;
    await handle.signal(REPROCESSING_CHANGED);
    await handle.result();
    assert.equal(seen.rounds, 2);
  });
});

test('a cancellation in the engine ends the row with that reason', async () => {
  const { seen, activities } = recorder(() => round({ state: 'paused' }));
  await testEnv.withWorkers(activities, async () => {
    const handle = await start();
    await eventually(async () => assert.equal(seen.rounds, 1));
    await handle.cancel();
    await assert.rejects(
      handle.result(),
      (error) => error instanceof WorkflowFailedError && error.cause instanceof CancelledFailure,
    );
    assert.deepEqual(seen.failed, ['CANCELLED']);
  });
});

test('a rollback goes on until its last page', async () => {
  let pages = 0;
  const activities: FakeActivities = {
    rollBackPage: () => ({ done: (pages += 1) === ROUNDS, restored: pages }),
  };
  await testEnv.withWorkers(activities, async () => {
    await (await start('rollBackReprocessing')).result();
    assert.equal(pages, ROUNDS);
  });
});
