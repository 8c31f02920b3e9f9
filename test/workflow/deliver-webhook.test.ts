import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { MAX_ATTEMPTS } from '../../domain/webhooks/delivery.ts';
import {
  type AttemptOutcome,
  type DeliverWebhookResult,
  WEBHOOK_WORKFLOWS,
} from '../../temporal/contract/deliver-webhook.ts';
import { startWorkflowEnv, type WorkflowEnv } from '../support/workflow-env.ts';
import { workflowOptions } from '../../temporal/contract/workflow.ts';

let testEnv: WorkflowEnv;
before(async () => {
  testEnv = await startWorkflowEnv();
});
after(() => testEnv.close());

/** Runs a delivery; `attempt` gets the delay until the next attempt in ms and returns the outcome. */
async function deliver(
  attempt: (retryAfterMs: number | null) => AttemptOutcome,
  more: { nextAttemptAt?: string } = {},
) {
  const ids = { deliveryId: randomUUID(), tenantId: randomUUID() };
  const input = { ...ids, generation: 1, type: 'file.completed', ...more };
  const activities = {
    sendWebhook: (_target: unknown, retryAfterMs: number | null) => attempt(retryAfterMs),
  };
  const result = (await testEnv.withWorkers(activities, () =>
    testEnv.env.client.workflow.execute('deliverWebhook', {
      ...workflowOptions(WEBHOOK_WORKFLOWS, input),
      taskQueue: 'workflows',
    }),
  )) as DeliverWebhookResult;
  return { result, ...input };
}

test('a delivery that succeeds at once takes one attempt', async () => {
  const { result } = await deliver(() => ({ outcome: 'delivered' }));
  assert.deepEqual(result, { outcome: 'delivered', attempts: 1 });
});

test('the attempts follow the schedule until the last one', async () => {
  const delays: (number | null)[] = [];
  const { result } = await deliver((retryAfterMs) => {
    delays.push(retryAfterMs);
    return retryAfterMs === null ? { outcome: 'failed' } : { outcome: 'retry', afterMs: 1 };
  });
  assert.deepEqual(result, { outcome: 'failed', attempts: MAX_ATTEMPTS });
  assert.equal(delays.length, MAX_ATTEMPTS);
  assert.equal(delays.at(-1), null);
  const hours = delays.reduce((sum: number, delay) => sum + (delay ?? 0), 0) / 3_600_000;
  assert.ok(hours >= 75 && hours <= 91, `${hours} hours`);
});

test('the delay until the next attempt is the one that the attempt recorded', async () => {
  const times: number[] = [];
  const { result } = await deliver(() => {
    times.push(Date.now());
    return times.length === 1 ? { outcome: 'retry', afterMs: 1500 } : { outcome: 'delivered' };
  });
  const [first = 0, second = 0] = times;
  assert.equal(result.attempts, 2);
  assert.ok(second - first >= 1500, `${second - first} ms`);
});

test('a delivery with an earlier first attempt waits for the second one until it is due', async () => {
  const dueAt = Date.now() + 2000;
  const attempted: { at: number; retryAfterMs: number | null }[] = [];
  const { result } = await deliver(
    (retryAfterMs) => {
      attempted.push({ at: Date.now(), retryAfterMs });
      return { outcome: 'delivered' };
    },
    { nextAttemptAt: new Date(dueAt).toISOString() },
  );
  assert.deepEqual(result, { outcome: 'delivered', attempts: 2 });
  const [second] = attempted;
  assert.ok(second && second.at >= dueAt);
  // The delay after the second attempt is five minutes.
  assert.ok((second.retryAfterMs ?? 0) >= 300_000);
});

test('a delivery that was cancelled during the wait ends without another attempt', async () => {
  const { result, deliveryId } = await deliver(() => ({ outcome: 'ended' }));
  assert.deepEqual(result, { outcome: 'ended', attempts: 1 });
  const { memo, status } = await testEnv.env.client.workflow
    .getHandle(WEBHOOK_WORKFLOWS.of(deliveryId))
    .describe();
  assert.deepEqual([status.name, memo?.['generation']], ['COMPLETED', 1]);
});
