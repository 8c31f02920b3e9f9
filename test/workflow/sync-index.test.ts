import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { INDEX_CHANGED, type SyncIndexInput, indexWorkflowId } from '../../temporal/contract/indexes.ts';
import { startWorkflowEnv, type WorkflowEnv } from '../support/workflow-env.ts';

let testEnv: WorkflowEnv;
before(async () => {
  testEnv = await startWorkflowEnv();
});
after(() => testEnv.close());

function change(input: SyncIndexInput) {
  return testEnv.env.client.workflow.signalWithStart('syncIndex', {
    workflowId: indexWorkflowId(input.index, input.fileId),
    taskQueue: 'workflows',
    args: [input],
    signal: INDEX_CHANGED,
  });
}

test('one change causes one sync', async () => {
  const looks: object[] = [];
  const input = { index: 'images' as const, fileId: randomUUID(), tenantId: randomUUID() };
  const syncIndexEntries = (target: object) => void looks.push(target);
  await testEnv.withWorkers({ syncIndexEntries }, async () => {
    await (await change(input)).result();
  });
  assert.deepEqual(looks, [{ index: 'images', fileId: input.fileId }]);
});

test('a change during a sync causes another sync, and syncs never overlap', async () => {
  const input = { index: 'images' as const, fileId: randomUUID(), tenantId: randomUUID() };
  const started = Promise.withResolvers<void>();
  const proceed = Promise.withResolvers<void>();
  let [looks, atOnce, most] = [0, 0, 0];
  const syncIndexEntries = async () => {
    looks += 1;
    atOnce += 1;
    most = Math.max(most, atOnce);
    started.resolve();
    await proceed.promise;
    atOnce -= 1;
  };
  await testEnv.withWorkers({ syncIndexEntries }, async () => {
    const first = await change(input);
    await started.promise;
    const second = await change(input);
    const third = await change(input);
    assert.equal(second.signaledRunId, first.signaledRunId);
    proceed.resolve();
    await third.result();
  });
  assert.deepEqual([looks, most], [2, 1]);
});
