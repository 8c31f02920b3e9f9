import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { imageIndexWorkflowId } from '../../temporal/contract/ids.ts';
import {
  INDEX_CHANGED,
  SYNC_IMAGE_INDEX,
  type SyncImageIndexInput,
} from '../../temporal/contract/sync-image-index.ts';
import { startWorkflowEnv, type WorkflowEnv } from '../support/workflow-env.ts';

let testEnv: WorkflowEnv;
before(async () => {
  testEnv = await startWorkflowEnv();
});
after(() => testEnv.close());

function change(input: SyncImageIndexInput) {
  return testEnv.env.client.workflow.signalWithStart(SYNC_IMAGE_INDEX, {
    workflowId: imageIndexWorkflowId(input.fileId),
    taskQueue: 'workflows',
    args: [input],
    signal: INDEX_CHANGED,
  });
}

test('one change causes one sync', async () => {
  const looks: string[] = [];
  const input = { fileId: randomUUID(), tenantId: randomUUID() };
  await testEnv.withWorkers({ syncImage: (fileId: string) => void looks.push(fileId) }, async () => {
    await (await change(input)).result();
  });
  assert.deepEqual(looks, [input.fileId]);
});

test('a change during a sync causes another one, and never two at a time', async () => {
  const input = { fileId: randomUUID(), tenantId: randomUUID() };
  const looking = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  let [looks, atOnce, most] = [0, 0, 0];
  const syncImage = async () => {
    looks += 1;
    atOnce += 1;
    most = Math.max(most, atOnce);
    looking.resolve();
    await goOn.promise;
    atOnce -= 1;
  };
  await testEnv.withWorkers({ syncImage }, async () => {
    const first = await change(input);
    await looking.promise;
    const second = await change(input);
    const third = await change(input);
    assert.equal(second.signaledRunId, first.signaledRunId);
    goOn.resolve();
    await third.result();
  });
  assert.deepEqual([looks, most], [2, 1]);
});
