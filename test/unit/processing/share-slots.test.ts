import type { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { ActivityExecuteInput } from '@temporalio/worker';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isWait } from '../../../temporal/contract/failures.ts';
import { shareSlots } from '../../../worker/share-slots.ts';

const input = { args: [], headers: {} } as unknown as ActivityExecuteInput;

/** A worker with this many slots, some of them kept, on which activities of tenants run until `end` is called. */
function createWorker(slots: number, kept = 1) {
  const factory = shareSlots(slots, kept);
  return function begin(tenantId: string, heartbeatDetails?: unknown) {
    const beaten: unknown[] = [];
    const context = {
      info: { priority: { fairnessKey: tenantId }, heartbeatDetails },
      heartbeat: (details: unknown) => beaten.push(details),
    } as unknown as Context;
    const { promise, resolve } = Promise.withResolvers<string>();
    let begun = false;
    const execute = factory(context).inbound?.execute;
    assert.ok(execute);
    const ended = execute(input, () => {
      begun = true;
      return promise;
    });
    ended.catch(() => undefined);
    return { ended, beaten, hasBegun: () => begun, end: () => resolve('done') };
  };
}

test('a single tenant takes all slots but the kept ones, in which tenants that hold none begin at once', async () => {
  const begin = createWorker(8, 2);
  const all = Array.from({ length: 6 }, () => begin('a'));
  const over = begin('a');
  const others = [begin('b'), begin('c')];
  assert.ok([...all, ...others].every(({ hasBegun }) => hasBegun()));
  await assert.rejects(over.ended, ApplicationFailure);
  for (const { end } of all) end();
  for (const { ended } of all) assert.equal(await ended, 'done');
});

test('an activity beyond the share of its tenant begins as soon as another one has ended', async () => {
  const begin = createWorker(4);
  const [first] = Array.from({ length: 3 }, () => begin('a'));
  const over = begin('a');
  assert.equal(over.hasBegun(), false);
  first?.end();
  over.end();
  assert.equal(await over.ended, 'done');
  assert.deepEqual(over.beaten, []);
});

test('an activity beyond the share of its tenant is returned to the queue as a wait', async () => {
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

test('the details of earlier attempts are kept', async () => {
  const begin = createWorker(2);
  begin('a');
  begin('b');
  const over = begin('a', { counted: 1, returned: 3 });
  await assert.rejects(over.ended, ApplicationFailure);
  assert.deepEqual(over.beaten, [{ counted: 1, returned: 4 }]);
});

test('a few activities come again soon, however often they were returned, and a backlog one after the other', async () => {
  const begin = createWorker(2);
  begin('a');
  begin('b');
  const secondsOf = async (...over: ReturnType<typeof begin>[]) => {
    const failures = await Promise.all(over.map(({ ended }) => ended.catch((error: unknown) => error)));
    return failures.map((failure) => {
      assert.ok(failure instanceof ApplicationFailure);
      return Number.parseFloat(String(failure.nextRetryDelay));
    });
  };
  const [few = Infinity] = await secondsOf(begin('b', { returned: 20 }));
  assert.ok(few <= 1, `it comes again after ${few} seconds`);
  const backlog = await secondsOf(...Array.from({ length: 40 }, () => begin('a')));
  assert.ok(Math.max(...backlog) >= 8, 'the backlog comes again as a whole');
});
