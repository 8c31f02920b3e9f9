import type { WorkflowExecutionDescription } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { Context } from '@temporalio/activity';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { FailureReason } from '../../domain/components.ts';
import {
  ABORT_REQUESTED,
  COMPLETE_REQUESTED,
  DIRECT_UPLOAD_WORKFLOWS,
  type DirectUploadInput,
  type VerificationOutcome,
} from '../../temporal/contract/direct-upload.ts';
import type { UploadTarget } from '../../services/direct-uploads/find-upload.ts';
import { SEARCH_ATTRIBUTES } from '../../temporal/contract/search-attributes.ts';
import { eventually } from '../support/api.ts';
import { startWorkflowEnv, type FakeActivities, type WorkflowEnv } from '../support/workflow-env.ts';

let testEnv: WorkflowEnv;
before(async () => {
  testEnv = await startWorkflowEnv();
});
after(() => testEnv.close());

/** Records calls and returns the given verification outcomes in order. */
function recorder(outcomes: VerificationOutcome[] = [], expiry: ('ended' | 'requested')[] = []) {
  const done: string[] = [];
  const reasons: FailureReason[] = [];
  const activities: FakeActivities = {
    verifyUpload: () => {
      done.push('verify');
      return outcomes.shift() ?? 'completed';
    },
    expireUpload: () => {
      done.push('expire');
      return expiry.shift() ?? 'ended';
    },
    failUpload: (_target: unknown, reason: FailureReason) => {
      done.push('fail');
      reasons.push(reason);
    },
    cleanUpload: () => {
      done.push('clean');
      return done.includes('verify') ? 'COMPLETED' : 'FAILED';
    },
  };
  return { activities, done, reasons };
}

const start = (seconds = 3600, input: Partial<DirectUploadInput> = {}) => {
  const uploadId = randomUUID();
  return testEnv.env.client.workflow.start('directUpload', {
    workflowId: DIRECT_UPLOAD_WORKFLOWS.of(uploadId),
    taskQueue: 'workflows',
    args: [
      {
        uploadId,
        tenantId: randomUUID(),
        mediaType: 'image',
        expiresAt: new Date(Date.now() + seconds * 1000).toISOString(),
        ...input,
      },
    ],
  });
};

test('a completion is verified, and the object store is cleaned up', async () => {
  const { activities, done } = recorder();
  await testEnv.withWorkers(activities, async () => {
    const handle = await start();
    await handle.signal(COMPLETE_REQUESTED);
    assert.deepEqual(await handle.result(), { status: 'COMPLETED' });
  });
  assert.deepEqual(done, ['verify', 'clean']);
});

test('a reopened upload waits for the next completion', async () => {
  const { activities, done } = recorder(['reopened', 'completed']);
  await testEnv.withWorkers(activities, async () => {
    const handle = await start();
    await handle.signal(COMPLETE_REQUESTED);
    await eventually(async () => assert.deepEqual(done, ['verify']));
    await handle.signal(COMPLETE_REQUESTED);
    await handle.result();
  });
  assert.deepEqual(done, ['verify', 'verify', 'clean']);
});

test('an upload expires unless its completion has been recorded in the row', async () => {
  const { activities, done } = recorder();
  await testEnv.withWorkers(activities, async () => (await start(0.2)).result());
  assert.deepEqual(done, ['expire', 'clean']);

  const lost = recorder([], ['requested']);
  await testEnv.withWorkers(lost.activities, async () => (await start(0.2)).result());
  assert.deepEqual(lost.done, ['expire', 'verify', 'clean']);
});

test('an abort ends the wait and cancels a running verification', async () => {
  const waiting = recorder();
  await testEnv.withWorkers(waiting.activities, async () => {
    const handle = await start();
    await handle.signal(ABORT_REQUESTED);
    await handle.result();
  });
  assert.deepEqual(waiting.done, ['clean']);

  const { activities, done } = recorder();
  activities.verifyUpload = async () => {
    done.push('verify');
    const context = Context.current();
    const beat = setInterval(() => context.heartbeat(), 100);
    try {
      await context.cancelled;
    } catch (error) {
      assert.ok(error instanceof CancelledFailure);
      done.push('stopped');
      throw error;
    } finally {
      clearInterval(beat);
    }
  };
  await testEnv.withWorkers(activities, async () => {
    const handle = await start();
    await handle.signal(COMPLETE_REQUESTED);
    await eventually(async () => assert.deepEqual(done, ['verify']));
    await handle.signal(ABORT_REQUESTED);
    await handle.result();
  });
  assert.deepEqual(done, ['verify', 'stopped', 'clean']);
});

test('a permanent failure of the verification fails the intent with its reason, and the run', async () => {
  const { activities, reasons, done } = recorder();
  activities.verifyUpload = () => {
    throw ApplicationFailure.nonRetryable('an unexpected error', 'INTERNAL');
  };
  activities.cleanUpload = () => {
    done.push('clean');
    return 'FAILED';
  };
  await testEnv.withWorkers(activities, async () => {
    const handle = await start();
    await handle.signal(COMPLETE_REQUESTED);
    await assert.rejects(handle.result(), ({ cause }: Error) => /an unexpected error/.test(String(cause)));
  });
  assert.deepEqual(reasons, [{ code: 'INTERNAL', message: 'an unexpected error' }]);
  assert.deepEqual(done, ['fail', 'clean']);
});

test('a cancelled run fails the intent, cleans up, and ends as cancelled', async () => {
  const { activities, reasons, done } = recorder();
  await testEnv.withWorkers(activities, async () => {
    const handle = await start();
    await eventually(async () => assert.ok((await handle.describe()).historyLength >= 5));
    await handle.cancel();
    await assert.rejects(handle.result(), /cancelled/i);
  });
  assert.equal(reasons[0]?.code, 'CANCELLED');
  assert.deepEqual(done, ['fail', 'clean']);
});

test('after a hundred failed completions the workflow still accepts another, in a new run', async () => {
  const { activities, done } = recorder(Array.from({ length: 101 }, () => 'reopened'));
  await testEnv.withWorkers(activities, async () => {
    const handle = await start();
    const { runId } = await handle.describe();
    for (let count = 1; count <= 102; count++) {
      await handle.signal(COMPLETE_REQUESTED);
      await eventually(async () => assert.equal(done.filter((what) => what === 'verify').length, count));
    }
    assert.deepEqual(await handle.result(), { status: 'COMPLETED' });
    assert.notEqual((await handle.describe()).runId, runId);
  });
});

const shownOf = async (handle: { describe(): Promise<WorkflowExecutionDescription> }) =>
  (await handle.describe()).typedSearchAttributes.get(SEARCH_ATTRIBUTES.unifiedStatus);

test('operators see the state of an open upload', async () => {
  const { activities } = recorder();
  const outcomes: VerificationOutcome[] = ['reopened', 'completed'];
  const seen: unknown[] = [];
  activities.verifyUpload = async ({ uploadId }: UploadTarget) => {
    seen.push(await shownOf(testEnv.env.client.workflow.getHandle(DIRECT_UPLOAD_WORKFLOWS.of(uploadId))));
    return outcomes.shift();
  };
  await testEnv.withWorkers(activities, async () => {
    const handle = await start();
    await handle.signal(COMPLETE_REQUESTED);
    await eventually(async () => assert.equal(await shownOf(handle), 'uploading'));
    await handle.signal(COMPLETE_REQUESTED);
    await handle.result();
    seen.push(await shownOf(handle));
  });
  // The fake row does not record a verification, so it stays `confirming`.
  assert.deepEqual(seen, ['confirming', 'confirming', 'failed']);
});

test('operators see the outcome of an ended upload', async () => {
  for (const [complete, end] of [
    [true, 'completed'],
    [false, 'failed'],
  ] as const) {
    await testEnv.withWorkers(recorder().activities, async () => {
      const handle = await start(complete ? 60 : 0.2, { completeRequested: complete });
      await handle.result();
      assert.equal(await shownOf(handle), end);
    });
  }
});
