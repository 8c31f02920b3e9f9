import type { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { ActivityExecuteInput } from '@temporalio/worker';
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { isWait } from '../../../temporal/contract/failures.ts';
import { shareSlots } from '../../../worker/share-slots.ts';

const input = { args: [], headers: {} } as unknown as ActivityExecuteInput;

/** A worker with this many slots, on which activities of tenants run until `end` is called. */
function createWorker(slots: number) {
  const factory = shareSlots(slots);
  return function begin(tenantId: string, heartbeatDetails?: unknown) {
    const beaten: unknown[] = [];
    const context = {
      info: { priority: { fairnessKey: tenantId }, heartbeatDetails },
      heartbeat: (details: unknown) => beaten.push(details),
    } as unknown as Context;
    const { promise, resolve } = Promise.withResolvers<string>();
    const execute = factory(context).inbound?.execute;
    assert.ok(execute);
    const ended = execute(input, () => promise);
    ended.catch(() => undefined);
    return { ended, beaten, end: () => resolve('done') };
  };
}

test('a single tenant takes all slots', async () => {
  const begin = createWorker(4);
  const all = Array.from({ length: 4 }, () => begin('a'));
  for (const { end } of all) end();
  for (const { ended } of all) assert.equal(await ended, 'done');
});

test('while another tenant has work, an activity beyond the share of its tenant is returned to the queue as a wait', async () => {
  const begin = createWorker(4);
  begin('a');
  begin('a');
  const first = begin('b');
  const over = begin('a');
  const failure = await over.ended.catch((error: unknown) => error);
  assert.ok(failure instanceof ApplicationFailure);
  assert.equal(failure.nonRetryable, false);
  assert.ok(isWait(String(failure.type)));
  assert.deepEqual(over.beaten, [{ returned: 1 }]);
  first.end();
  assert.equal(await first.ended, 'done');
});

test('the details of earlier attempts are kept, and each return lengthens the delay', async () => {
  const begin = createWorker(2);
  begin('a');
  begin('b');
  const over = begin('a', { counted: 1, returned: 3 });
  const failure = await over.ended.catch((error: unknown) => error);
  assert.ok(failure instanceof ApplicationFailure);
  assert.equal(failure.nextRetryDelay, '4 seconds');
  assert.deepEqual(over.beaten, [{ counted: 1, returned: 4 }]);
});

test('once the other tenant has been idle for a while, a tenant may take all slots again', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const begin = createWorker(2);
    const other = begin('b');
    other.end();
    await other.ended;
    begin('a');
    await assert.rejects(begin('a').ended, ApplicationFailure);
    mock.timers.tick(60_000);
    const second = begin('a');
    second.end();
    assert.equal(await second.ended, 'done');
  } finally {
    mock.timers.reset();
  }
});
