import { ApplicationFailure } from '@temporalio/common';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { initialComponents, type Components } from '../../domain/components.ts';
import type { FileProjection } from '../../services/processing/project-file.ts';
import { fileWorkflowId } from '../../temporal/contract/ids.ts';
import {
  FILE_SIGNALS,
  PROCESS_FILE,
  type ProcessFileInput,
  type ProcessFileResult,
} from '../../temporal/contract/process-file.ts';
import { foldHistory } from '../../temporal/status/fold-history.ts';
import { eventually } from '../support/api.ts';
import { startWorkflowEnv, type FakeActivities, type WorkflowEnv } from '../support/workflow-env.ts';

let house: WorkflowEnv;
before(async () => {
  house = await startWorkflowEnv();
});
after(() => house.close());

/** Records every projection, as the rows would have them. */
function recorder() {
  const projections: FileProjection[] = [];
  let outcome: string | undefined;
  const activities: FakeActivities = {
    beginFileWork: (first: Omit<FileProjection, 'seq'>) => {
      projections.push({ ...first, seq: 1 });
      return { seq: 1, visionProvider: 'test' };
    },
    projectFile: (projection: FileProjection) => void projections.push(projection),
    finishFileWork: (projection: FileProjection, how: string) => {
      projections.push(projection);
      outcome = how;
    },
    renderVariants: () => undefined,
    readText: () => undefined,
    describeImage: () => undefined,
    indexImage: () => undefined,
  };
  return { activities, projections, outcome: () => outcome };
}

function input(
  components: Components = initialComponents('image', { autoDescribe: true }),
): ProcessFileInput {
  return {
    fileId: randomUUID(),
    tenantId: randomUUID(),
    mediaType: 'image',
    generation: 1,
    components,
    priority: 'normal',
  };
}

const start = (args: ProcessFileInput) =>
  house.env.client.workflow.start(PROCESS_FILE, {
    workflowId: fileWorkflowId(args.fileId),
    taskQueue: 'workflows',
    args: [args],
  });

async function run(activities: FakeActivities, args: ProcessFileInput): Promise<ProcessFileResult> {
  return house.withWorkers(
    activities,
    async () => (await start(args)).result() as Promise<ProcessFileResult>,
  );
}

/** The claim of the house: whoever folds the history sees what the last projection says. */
async function assertHistoryAgrees(args: ProcessFileInput, projections: FileProjection[]): Promise<void> {
  const handle = house.env.client.workflow.getHandle(fileWorkflowId(args.fileId));
  const { components } = foldHistory(await handle.fetchHistory(), 'run');
  assert.deepEqual(facts(components), facts(projections.at(-1)?.components ?? {}));
}

/** Without the times, which the engine and the workflow each take for themselves. */
function facts(components: Components) {
  return Object.fromEntries(
    Object.entries(components).map(([name, { status, cause, error }]) => [name, { status, cause, error }]),
  );
}

const statuses = (projection: FileProjection | undefined) =>
  Object.fromEntries(
    Object.entries(projection?.components ?? {}).map(([name, { status }]) => [name, status]),
  );

test('an image goes through its components in order, each projection later than the one before', async () => {
  const { activities, projections, outcome } = recorder();
  const args = input();
  assert.deepEqual(await run(activities, args), { outcome: 'completed' });
  assert.deepEqual(projections.map(statuses), [
    { variant: 'queued', description: 'pending' },
    { variant: 'completed', description: 'queued' },
    { variant: 'completed', description: 'completed' },
  ]);
  assert.deepEqual(
    projections.map(({ seq }) => seq),
    [1, 2, 3],
  );
  assert.equal(outcome(), 'completed');
  await assertHistoryAgrees(args, projections);
});

test('a fact that no retry can change fails the component at once and skips what rests on it', async () => {
  const { activities, projections } = recorder();
  let attempts = 0;
  activities.renderVariants = () => {
    attempts += 1;
    throw ApplicationFailure.nonRetryable('the picture cannot be read', 'IMAGE_UNREADABLE');
  };
  const args = input();
  assert.deepEqual(await run(activities, args), { outcome: 'failed' });
  assert.equal(attempts, 1);
  assert.deepEqual(projections.at(-1)?.components.variant?.error, {
    code: 'IMAGE_UNREADABLE',
    message: 'the picture cannot be read',
  });
  assert.equal(projections.at(-1)?.components.description?.cause, 'upstream_failed');
  await assertHistoryAgrees(args, projections);
});

test('a component of several steps is completed with its last, for one write of the row', async () => {
  const { activities, projections } = recorder();
  const order: string[] = [];
  for (const step of ['renderVariants', 'readText', 'describeImage', 'indexImage'] as const) {
    activities[step] = () => void order.push(`${step} after ${projections.length} writes`);
  }
  const args = input();
  assert.deepEqual(await run(activities, args), { outcome: 'completed' });
  assert.deepEqual(order, [
    'renderVariants after 1 writes',
    'readText after 2 writes',
    'describeImage after 2 writes',
    'indexImage after 2 writes',
  ]);
  await assertHistoryAgrees(args, projections);
});

for (const broken of ['readText', 'describeImage', 'indexImage'] as const) {
  test(`when ${broken} fails for good, the description fails with its reason and goes no further`, async () => {
    const { activities, projections } = recorder();
    const order: string[] = [];
    for (const step of ['readText', 'describeImage', 'indexImage'] as const) {
      activities[step] = () => {
        order.push(step);
        if (step === broken) throw ApplicationFailure.nonRetryable('it broke', 'BROKEN');
      };
    }
    const args = input();
    assert.deepEqual(await run(activities, args), { outcome: 'partially_completed' });
    assert.equal(order.at(-1), broken);
    const { description } = projections.at(-1)?.components ?? {};
    assert.deepEqual(description?.error, { code: 'BROKEN', message: 'it broke' });
    await assertHistoryAgrees(args, projections);
  });
}

test('a run that is terminated between two steps of a component leaves it failed, not completed', async () => {
  const { activities } = recorder();
  const reached = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  activities.indexImage = async () => {
    reached.resolve();
    await release.promise;
  };
  const args = input();
  await house.withWorkers(activities, async () => {
    const handle = await start(args);
    await reached.promise;
    const open = foldHistory(await handle.fetchHistory(), 'run');
    assert.equal(open.components.description?.status, 'processing');
    await handle.terminate();
    release.resolve();
    const { components } = foldHistory(await handle.fetchHistory(), 'run');
    assert.equal(components.description?.status, 'failed');
  });
});

test('a model that answers again later is waited for', async () => {
  const { activities, projections } = recorder();
  let attempts = 0;
  activities.describeImage = () => {
    attempts += 1;
    if (attempts < 3) {
      throw ApplicationFailure.create({
        type: 'MODEL_RATE_LIMITED',
        message: 'answered 429',
        nextRetryDelay: '50 ms',
      });
    }
  };
  const args = input();
  assert.deepEqual(await run(activities, args), { outcome: 'completed' });
  assert.equal(attempts, 3);
  await assertHistoryAgrees(args, projections);
});

test('what is completed or not wanted is left alone', async () => {
  const { activities, projections } = recorder();
  activities.renderVariants = () => assert.fail('the variants are there');
  const args = input({ variant: { status: 'completed' }, description: { status: 'queued' } });
  assert.deepEqual(await run(activities, args), { outcome: 'completed' });
  assert.deepEqual(projections.map(statuses), [
    { variant: 'completed', description: 'queued' },
    { variant: 'completed', description: 'completed' },
  ]);
  await assertHistoryAgrees(args, projections);
});

test('a run that is overtaken or whose file is gone touches nothing', async () => {
  const { activities } = recorder();
  activities.beginFileWork = () => ({ visionProvider: 'test' });
  activities.renderVariants = () => assert.fail('nothing may run');
  activities.finishFileWork = () => assert.fail('nothing may be written');
  assert.deepEqual(await run(activities, input()), { outcome: 'superseded' });
});

test('a cancelled run keeps what is done and skips the rest', async () => {
  const { activities, projections, outcome } = recorder();
  const reached = Promise.withResolvers<void>();
  activities.describeImage = async () => {
    reached.resolve();
    const { Context } = await import('@temporalio/activity');
    const context = Context.current();
    const beat = setInterval(() => context.heartbeat(), 100);
    await context.cancelled.finally(() => clearInterval(beat));
  };
  const args = input();
  await house.withWorkers(activities, async () => {
    const handle = await start(args);
    await reached.promise;
    await handle.cancel();
    await assert.rejects(handle.result(), /cancelled/i);
    assert.equal((await handle.describe()).status.name, 'CANCELLED');
  });
  assert.equal(outcome(), 'cancelled');
  assert.equal(projections.at(-1)?.components.variant?.status, 'completed');
  assert.equal(projections.at(-1)?.components.description?.cause, 'cancelled');
  await assertHistoryAgrees(args, projections);
});

const pause = (paused: boolean, generation = 1) =>
  [FILE_SIGNALS.sessionPaused, { paused, generation }] as const;

test('a pause lets the step under way finish, holds the next one, and a resume goes on', async () => {
  const { activities, projections } = recorder();
  const reached = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  activities.readText = async () => {
    reached.resolve();
    await release.promise;
  };
  let described = 0;
  activities.describeImage = () => void (described += 1);
  const args = input();
  await house.withWorkers(activities, async () => {
    const handle = await start(args);
    await reached.promise;
    await handle.signal(...pause(true, 2));
    assert.equal(foldHistory(await handle.fetchHistory(), 'run').pausedSince, undefined);
    await handle.signal(...pause(true));
    await handle.signal(...pause(true));
    release.resolve();
    await atRest(handle);
    await assertHistoryAgrees(args, projections);
    assert.deepEqual(statuses(projections.at(-1)), { variant: 'completed', description: 'processing' });
    assert.ok(foldHistory(await handle.fetchHistory(), 'run').pausedSince);
    assert.equal(described, 0);
    await handle.signal(...pause(false));
    assert.deepEqual(await handle.result(), { outcome: 'completed' });
    assert.equal(foldHistory(await handle.fetchHistory(), 'run').pausedSince, undefined);
  });
  assert.equal(described, 1);
  await assertHistoryAgrees(args, projections);
});

test('a run that is paused before it begins takes no step, and can be cancelled', async () => {
  const { activities, projections, outcome } = recorder();
  activities.renderVariants = () => assert.fail('nothing may run');
  const args = input();
  await house.withWorkers(activities, async () => {
    const [signal, told] = pause(true);
    const handle = await house.env.client.workflow.signalWithStart(PROCESS_FILE, {
      workflowId: fileWorkflowId(args.fileId),
      taskQueue: 'workflows',
      args: [args],
      signal,
      signalArgs: [told],
    });
    await atRest(handle);
    await assertHistoryAgrees(args, projections);
    assert.deepEqual(statuses(projections.at(-1)), { variant: 'queued', description: 'pending' });
    await handle.cancel();
    await assert.rejects(handle.result(), /cancelled/i);
  });
  assert.equal(outcome(), 'cancelled');
  await assertHistoryAgrees(args, projections);
});

test('a component that was recorded as queued and is then held back is queued by its history', async () => {
  const { activities, projections } = recorder();
  const reached = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  let calls = 0;
  activities.projectFile = async (projection: FileProjection) => {
    calls += 1;
    // The database is slow, so that this becomes an ordinary activity, between whose start and end signals come.
    if (calls <= 4) throw ApplicationFailure.retryable('connection refused', 'ECONNREFUSED');
    projections.push(projection);
    reached.resolve();
    await release.promise;
  };
  const args = input();
  await house.withWorkers(activities, async () => {
    const handle = await start(args);
    await reached.promise;
    await handle.signal(...pause(true));
    release.resolve();
    await atRest(handle);
    assert.deepEqual(statuses(projections.at(-1)), { variant: 'completed', description: 'queued' });
    await assertHistoryAgrees(args, projections);
    await handle.signal(...pause(false));
    assert.deepEqual(await handle.result(), { outcome: 'completed' });
  });
  await assertHistoryAgrees(args, projections);
});

/** Waits until a run has decided all that it can, and nothing is under way. */
async function atRest(handle: Pick<Awaited<ReturnType<typeof start>>, 'describe'>): Promise<void> {
  await eventually(async () => {
    const { raw } = await handle.describe();
    assert.deepEqual([raw.pendingActivities ?? [], raw.pendingWorkflowTask ?? null], [[], null]);
  });
}

test('a database that does not answer shows as an ordinary activity and delays nothing else', async () => {
  const { activities, projections } = recorder();
  let calls = 0;
  activities.projectFile = (projection: FileProjection) => {
    calls += 1;
    if (calls <= 4) throw ApplicationFailure.retryable('connection refused', 'ECONNREFUSED');
    projections.push(projection);
  };
  const args = input();
  assert.deepEqual(await run(activities, args), { outcome: 'completed' });
  assert.equal(calls, 5);
  const { events } = await house.env.client.workflow.getHandle(fileWorkflowId(args.fileId)).fetchHistory();
  const scheduled = events
    ?.map((event) => event.activityTaskScheduledEventAttributes?.activityType?.name)
    .filter(Boolean);
  assert.deepEqual(scheduled, ['renderVariants', 'projectFile', 'readText', 'describeImage', 'indexImage']);
});

test('a terminated run folds to failed components with the reason', async () => {
  const { activities } = recorder();
  const reached = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  activities.describeImage = async () => {
    reached.resolve();
    await release.promise;
  };
  const args = input();
  await house.withWorkers(activities, async () => {
    const handle = await start(args);
    await reached.promise;
    await handle.terminate('operator said so');
    release.resolve();
    const { components, timeline } = foldHistory(await handle.fetchHistory(), 'run');
    assert.equal(components.variant?.status, 'completed');
    assert.deepEqual(components.description?.error, {
      code: 'WORKFLOW_TERMINATED',
      message: 'the workflow was terminated: operator said so',
    });
    assert.equal(timeline.outcome, 'terminated');
  });
});
