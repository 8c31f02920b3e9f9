import proto from '@temporalio/proto';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EngineUnavailable, type Engine } from '../../../temporal/client.ts';
import { createFindHalted } from '../../../services/trash/busy-documents.ts';
import { describeRun, type PendingActivity, type RunView } from '../../../temporal/status/describe-run.ts';
import { isHalted } from '../../../temporal/status/is-halted.ts';

const GENERATION = 2;
const waiting: PendingActivity = {
  id: '1',
  type: 'readPages',
  state: 'waiting',
  attempt: 1,
  maximumAttempts: 0,
  queue: 'polled',
};
const open: RunView = {
  runId: 'run',
  outcome: 'running',
  generation: GENERATION,
  startedAt: new Date(),
  pending: [],
  activities: [waiting],
  cancelRequested: false,
  workflowTaskAttempt: 1,
};
const again = { ...waiting, attempt: 2 };
const running: PendingActivity = { ...waiting, state: 'running' };
const lonely = { ...waiting, queue: 'an unpolled queue' };

const CASES: [string, RunView | undefined, boolean][] = [
  ['has no run yet', undefined, true],
  ['only has the previous run', { ...open, generation: 1, outcome: 'completed' }, true],
  ['has a newer run', { ...open, generation: 3, activities: [again] }, false],
  [
    'has ended, although its row does not show it yet',
    { ...open, outcome: 'completed', activities: [] },
    false,
  ],
  ['waits for a worker', open, false],
  ['waits for a worker that does not exist', { ...open, activities: [lonely] }, true],
  ['waits for its next attempt', { ...open, activities: [again] }, true],
  ['waits in a paused session', { ...open, activities: [{ ...waiting, sessionPaused: true }] }, true],
  ['is paused by an operator', { ...open, operatorPause: {} }, true],
  ['decides', { ...open, activities: [again], decision: { state: 'waiting', attempt: 1 } }, false],
  ['is being processed', { ...open, activities: [running] }, false],
  ['is partly being processed', { ...open, activities: [again, lonely, running], operatorPause: {} }, false],
];

for (const [what, run, halted] of CASES) {
  test(`a document that ${what} is ${halted ? '' : 'not '}halted`, async () => {
    const polls = async (queue: string) => (queue === 'polled' ? new Date() : undefined);
    assert.equal(await isHalted(run, GENERATION, polls), halted);
  });
}

/** An engine with one run that has one activity. */
function engineWith(state: number): Engine {
  const described = {
    runId: 'run',
    status: { name: 'RUNNING' },
    startTime: new Date(),
    memo: { generation: 1 },
    typedSearchAttributes: { get: () => 'document' },
    raw: { pendingActivities: [{ activityId: '1', activityType: { name: 'indexChunks' }, state }] },
  };
  const handle = { describe: async () => described };
  const client = { workflow: { getHandle: () => handle } } as unknown as Engine['client'];
  return {
    client,
    within: (_milliseconds, calls) => calls(client),
    reportUnreached: () => undefined,
    historyNames: true,
    close: async () => undefined,
  };
}

test('an attempt with a requested pause or cancellation counts as running until it has ended', async () => {
  const states = proto.temporal.api.enums.v1.PendingActivityState;
  const seen = async (state: number) =>
    (await describeRun(engineWith(state), 'file', 1000))?.activities[0]?.state;
  assert.equal(await seen(states.PENDING_ACTIVITY_STATE_SCHEDULED), 'waiting');
  assert.equal(await seen(states.PENDING_ACTIVITY_STATE_PAUSED), 'waiting');
  assert.equal(await seen(states.PENDING_ACTIVITY_STATE_STARTED), 'running');
  assert.equal(await seen(states.PENDING_ACTIVITY_STATE_PAUSE_REQUESTED), 'running');
  assert.equal(await seen(states.PENDING_ACTIVITY_STATE_CANCEL_REQUESTED), 'running');
});

test('an unreachable engine is queried once for all documents of a request', async () => {
  let asked = 0;
  const findHalted = createFindHalted({
    ...engineWith(1),
    async within() {
      asked += 1;
      throw new EngineUnavailable('away');
    },
  });
  for (const id of ['one', 'another']) {
    assert.deepEqual(await findHalted([{ id, generation: 1, seq: 1 }]), []);
  }
  assert.equal(asked, 1);
});
