import { ScheduleOverlapPolicy } from '@temporalio/client';
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { after, before, test } from 'node:test';
import { eventually } from '../support/api.ts';
import { startWorkflowEnv, type WorkflowEnv } from '../support/workflow-env.ts';
import type { DispatchPendingInput } from '../../temporal/contract/schedules.ts';

let testEnv: WorkflowEnv;
before(async () => {
  testEnv = await startWorkflowEnv();
});
after(() => testEnv.close());

/** All runs of the sweep, newest first. */
async function runs() {
  const found = [];
  for await (const run of testEnv.env.client.workflow.list({ query: `WorkflowType = 'dispatchPending'` })) {
    found.push(run);
  }
  return found;
}

test('the sweep continues as new after few events, never overlaps, and is restarted by its schedule after a termination', async () => {
  const asked: number[] = [];
  // The first search of each kind ends before its time is over, like one whose worker stops.
  const search = async (seconds: number) => {
    asked.push(seconds);
    await delay(200);
    return seconds === 100 ? 60 : seconds;
  };
  await testEnv.withWorkers({ dispatchPending: search, cleanEnded: search }, async () => {
    const input: DispatchPendingInput = { seconds: 100 };
    const { client } = testEnv.env;
    const schedule = await client.schedule.create({
      scheduleId: 'schedule/sweep-of-a-test',
      spec: { intervals: [{ every: '1 s' }] },
      policies: { overlap: ScheduleOverlapPolicy.SKIP },
      action: {
        type: 'startWorkflow',
        workflowType: 'dispatchPending',
        args: [input],
        workflowId: 'schedule/sweep-of-a-test',
        taskQueue: 'workflows',
      },
    });
    const continued = await eventually(async () => {
      const found = await runs();
      assert.ok(found.length > 5);
      return found;
    });
    assert.equal(new Set(continued.map(({ workflowId }) => workflowId)).size, 1, 'one chain of runs');
    assert.deepEqual(
      [...new Set(asked)].toSorted(),
      [100, 40],
      'the next run must search for the remaining time',
    );
    const [, previous] = continued;
    assert.ok(previous);
    const { events } = await client.workflow.getHandle(previous.workflowId, previous.runId).fetchHistory();
    // Four activities, each followed by a workflow task.
    assert.ok((events?.length ?? 0) <= 30, `${events?.length} events, with one that hands over`);

    await client.workflow.getHandle(previous.workflowId).terminate('by an operator');
    await eventually(async () => {
      const open = (await runs()).filter(({ status }) => status.name === 'RUNNING');
      assert.equal(open.length, 1);
      assert.notEqual(open[0]?.workflowId, previous.workflowId);
    });
    await schedule.delete();
    for (const { workflowId, status } of await runs())
      if (status.name === 'RUNNING')
        await client.workflow.getHandle(workflowId).terminate('the test is over');
  });
});
