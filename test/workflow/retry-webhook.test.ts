import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { DeliveryTarget } from '../../temporal/contract/deliver-webhook.ts';
import { RETRIES_CHANGED, RETRY_WEBHOOK, type DueDeliveries } from '../../temporal/contract/retry-webhook.ts';
import { workflowOptions } from '../../temporal/contract/workflow.ts';
import { eventually } from '../support/api.ts';
import { startWorkflowEnv, type WorkflowEnv } from '../support/workflow-env.ts';

let testEnv: WorkflowEnv;
before(async () => {
  testEnv = await startWorkflowEnv();
});
after(() => testEnv.close());

const NOTHING: DueDeliveries = { due: [], waiting: 0 };

/** Runs the retries of a webhook to their end; `find` gets how often the rows were read before. */
async function retry(
  find: (readings: number) => DueDeliveries,
  during: (signal: () => Promise<void>) => Promise<void> = async () => undefined,
  poisoned?: string,
) {
  const webhook = { tenantId: randomUUID(), subscriptionId: randomUUID() };
  const attempted: DeliveryTarget[] = [];
  const postponed: string[] = [];
  let readings = 0;
  const activities = {
    findDueDeliveries: () => find(readings++),
    retryDelivery(target: DeliveryTarget) {
      attempted.push(target);
      if (target.deliveryId === poisoned) throw new Error('no attempt of this one can be made');
      return { outcome: 'retry' };
    },
    postponeDelivery: ({ deliveryId }: DeliveryTarget) => void postponed.push(deliveryId),
  };
  return testEnv.withWorkers(activities, async () => {
    const { workflow } = testEnv.env.client;
    const handle = await workflow.start('retryWebhook', {
      ...workflowOptions(RETRY_WEBHOOK, webhook),
      taskQueue: 'workflows',
    });
    await during(() => workflow.getHandle(handle.workflowId).signal(RETRIES_CHANGED));
    await handle.result();
    const { runId } = await workflow.getHandle(handle.workflowId).describe();
    return { attempted, postponed, readings, continued: runId !== handle.firstExecutionRunId };
  });
}

const due = (many: number) =>
  Array.from({ length: many }, (_, at) => ({
    deliveryId: `delivery-${at}`,
    tenantId: 'a',
    generation: 1,
    type: 'file.completed',
    attempt: 2,
  }));

test('all deliveries that are due are attempted, and the rows are read again until none waits', async () => {
  const { attempted, readings } = await retry((before) =>
    before < 2 ? { due: due(3), waiting: 4 } : NOTHING,
  );
  assert.equal(readings, 3);
  const ids = attempted.map(({ deliveryId }) => deliveryId).toSorted();
  assert.deepEqual(ids, ['delivery-0', 'delivery-0', 'delivery-1', 'delivery-1', 'delivery-2', 'delivery-2']);
  assert.deepEqual(Object.keys(attempted[0] ?? {}).toSorted(), ['deliveryId', 'generation', 'tenantId']);
});

test('a delivery of which no attempt can be made is postponed, and the others go on', async () => {
  const { attempted, postponed, readings } = await retry(
    (before) => (before < 2 ? { due: before === 0 ? due(2) : due(2).slice(1), waiting: 2 } : NOTHING),
    undefined,
    'delivery-0',
  );
  assert.equal(readings, 3);
  assert.deepEqual(postponed, ['delivery-0']);
  assert.equal(attempted.filter(({ deliveryId }) => deliveryId === 'delivery-0').length, 5);
  assert.equal(attempted.filter(({ deliveryId }) => deliveryId === 'delivery-1').length, 2);
});

test('the workflow waits until the next delivery is due', async () => {
  const times: number[] = [];
  await retry((before) => {
    times.push(Date.now());
    return before === 0 ? { due: [], waiting: 1, nextInMs: 1500 } : NOTHING;
  });
  const [first = 0, second = 0] = times;
  assert.ok(second - first >= 1500, `${second - first} ms`);
});

test('a signal ends the wait for a delivery that is due much later', async () => {
  let readings = 0;
  const ended = await retry(
    (before) => {
      readings = before + 1;
      return before === 0 ? { due: [], waiting: 1, nextInMs: 86_400_000 } : NOTHING;
    },
    async (signal) => {
      await eventually(async () => assert.equal(readings, 1));
      await signal();
    },
  );
  assert.equal(ended.readings, 2);
});

test('the history of a webhook with many attempts stays bounded', async () => {
  const { attempted, continued } = await retry((before) =>
    before < 16 ? { due: due(20), waiting: 400 } : NOTHING,
  );
  assert.equal(attempted.length, 320);
  assert.ok(continued);
});
