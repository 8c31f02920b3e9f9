import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { initialComponents, type Components } from '../../domain/components.ts';
import type { EndedStep, FastPathResult } from '../../domain/fast-path.ts';
import type { FileProjection } from '../../services/processing/end-file-run.ts';
import {
  FILE_WORKFLOWS,
  type ProcessFileInput,
  type ProcessFileResult,
} from '../../temporal/contract/process-file.ts';
import { createEngine } from '../../temporal/client.ts';
import {
  permanentFailure,
  retryableFailure,
  UPLOAD_SESSION_CANCELLED,
  UPLOAD_SESSION_PAUSED,
} from '../../temporal/contract/failures.ts';
import { endUploadSessionPause } from '../../temporal/end-upload-session-pause.ts';
import { describeRun } from '../../temporal/status/describe-run.ts';
import { foldHistory } from '../../temporal/status/fold-history.ts';
import { isPaused } from '../../temporal/status/read-liveness.ts';
import { withPendingSteps } from '../../temporal/status/fetch-history.ts';
import { eventually } from '../support/api.ts';
import {
  resultOfFile,
  startWorkflowEnv,
  type FakeActivities,
  type WorkflowEnv,
} from '../support/workflow-env.ts';
import { workflowOptions } from '../../temporal/contract/workflow.ts';

let testEnv: WorkflowEnv;
before(async () => {
  testEnv = await startWorkflowEnv();
});
after(() => testEnv.close());

/** Records every projection as written to the row. */
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
    // By default the fast path leaves all steps to the workflow.
    makeImage: (): FastPathResult => ({ ended: [] }),
    settleFastPath: (): FastPathResult => ({ ended: [] }),
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
  testEnv.env.client.workflow.start('processFile', {
    ...workflowOptions(FILE_WORKFLOWS, args),
    taskQueue: 'workflows',
  });

async function run(activities: FakeActivities, args: ProcessFileInput): Promise<ProcessFileResult> {
  return testEnv.withWorkers(activities, async () => resultOfFile(await start(args)));
}

/** The central invariant: the folded history equals the last projection. */
async function assertHistoryAgrees(args: ProcessFileInput, projections: FileProjection[]): Promise<void> {
  const handle = testEnv.env.client.workflow.getHandle(FILE_WORKFLOWS.of(args.fileId));
  const { components } = foldHistory(await handle.fetchHistory(), 'run');
  assert.deepEqual(facts(components), facts(projections.at(-1)?.components ?? {}));
}

/** Components without times, because the engine and the workflow use different clocks. */
function facts(components: Components) {
  return Object.fromEntries(
    Object.entries(components).map(([name, { status, cause, error }]) => [name, { status, cause, error }]),
  );
}

/** Statuses of the requested components. */
const statuses = (projection: FileProjection | undefined) =>
  Object.fromEntries(
    Object.entries(projection?.components ?? {})
      .filter(([, { cause }]) => cause !== 'by_request')
      .map(([name, { status }]) => [name, status]),
  );

test('an image passes through its components in order, with increasing seq', async () => {
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
    // The fast path takes seq 2.
    [1, 3, 4],
  );
  assert.equal(outcome(), 'completed');
  await assertHistoryAgrees(args, projections);
});

test('a non-retryable failure fails the component at once and skips its dependents', async () => {
  const { activities, projections } = recorder();
  let attempts = 0;
  activities.renderVariants = () => {
    attempts += 1;
    throw ApplicationFailure.nonRetryable('the image cannot be read', 'IMAGE_UNREADABLE');
  };
  const args = input();
  const failures = [{ component: 'variant', code: 'IMAGE_UNREADABLE', reason: 'the image cannot be read' }];
  assert.deepEqual(await run(activities, args), { outcome: 'failed', failures });
  assert.equal(attempts, 1);
  assert.deepEqual(projections.at(-1)?.components.variant?.error, {
    code: 'IMAGE_UNREADABLE',
    message: 'the image cannot be read',
  });
  assert.equal(projections.at(-1)?.components.description?.cause, 'upstream_failed');
  await assertHistoryAgrees(args, projections);
});

test('a component of several steps completes with its last step, in a single write of the row', async () => {
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
  test(`when ${broken} fails permanently, the description fails with its reason and runs no further step`, async () => {
    const { activities, projections } = recorder();
    const order: string[] = [];
    for (const step of ['readText', 'describeImage', 'indexImage'] as const) {
      activities[step] = () => {
        order.push(step);
        if (step === broken) throw ApplicationFailure.nonRetryable('it broke', 'BROKEN');
      };
    }
    const args = input();
    const failures = [{ component: 'description', code: 'BROKEN', reason: 'it broke' }];
    assert.deepEqual(await run(activities, args), { outcome: 'partially_completed', failures });
    assert.equal(order.at(-1), broken);
    const { description } = projections.at(-1)?.components ?? {};
    assert.deepEqual(description?.error, { code: 'BROKEN', message: 'it broke' });
    await assertHistoryAgrees(args, projections);
  });
}

test('a run that is terminated between two steps of a component leaves the component failed, not completed', async () => {
  const { activities } = recorder();
  const reached = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  activities.indexImage = async () => {
    reached.resolve();
    await release.promise;
  };
  const args = input();
  await testEnv.withWorkers(activities, async () => {
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

test('a file waits for an unavailable model until it recovers', async () => {
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

test('components that are completed or not requested are not run', async () => {
  const { activities, projections } = recorder();
  activities.renderVariants = () => assert.fail('the variants already exist');
  const args = input({ variant: { status: 'completed' }, description: { status: 'queued' } });
  assert.deepEqual(await run(activities, args), { outcome: 'completed' });
  assert.deepEqual(projections.map(statuses), [
    { variant: 'completed', description: 'queued' },
    { variant: 'completed', description: 'completed' },
  ]);
  await assertHistoryAgrees(args, projections);
});

test('a run that is superseded or whose file is gone changes nothing', async () => {
  const { activities } = recorder();
  activities.beginFileWork = () => ({ visionProvider: 'test' });
  activities.renderVariants = () => assert.fail('no step may run');
  activities.finishFileWork = () => assert.fail('nothing may be written');
  assert.deepEqual(await run(activities, input()), { outcome: 'superseded' });
});

test('a cancelled run keeps completed components and skips the rest', async () => {
  const { activities, projections, outcome } = recorder();
  const reached = Promise.withResolvers<void>();
  activities.describeImage = async () => {
    reached.resolve();
    const context = Context.current();
    const beat = setInterval(() => context.heartbeat(), 100);
    await context.cancelled.finally(() => clearInterval(beat));
  };
  const args = input();
  await testEnv.withWorkers(activities, async () => {
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

/** The engine as the services use it. */
const engineOf = () =>
  createEngine({
    TEMPORAL_ADDRESS: testEnv.env.address,
    TEMPORAL_NAMESPACE: testEnv.env.namespace ?? 'default',
  });

test('a step of a paused session waits in the engine without being stuck, and continues at once after a resume', async () => {
  const { activities, projections } = recorder();
  let paused = true;
  let attempts = 0;
  activities.describeImage = () => {
    attempts += 1;
    if (paused)
      throw retryableFailure(UPLOAD_SESSION_PAUSED, 'the session is paused', { retryAfterSeconds: 3600 });
  };
  const args = input();
  const engine = engineOf();
  await testEnv.withWorkers(activities, async () => {
    const handle = await start(args);
    const waiting = await eventually(async () => {
      const run = await describeRun(engine, args.fileId, 5000);
      assert.equal(run?.pending[0]?.sessionPaused, true);
      return run;
    });
    assert.deepEqual([waiting.pending[0]?.step, waiting.pending[0]?.state], ['describeImage', 'waiting']);
    assert.equal(waiting.pending[0]?.lastFailure, undefined);
    paused = false;
    await endUploadSessionPause(engine, args.fileId, 5000);
    assert.deepEqual(await handle.result(), { outcome: 'completed' });
    await endUploadSessionPause(engine, args.fileId, 5000);
    const { timeline } = foldHistory(await handle.fetchHistory(), 'run');
    assert.ok(timeline.steps.every(({ error }) => error === undefined));
  });
  await engine.close();
  assert.equal(attempts, 2);
  await assertHistoryAgrees(args, projections);
});

test('a step of a cancelled session cancels the run, and completed components are kept', async () => {
  const { activities, projections, outcome } = recorder();
  activities.readText = () => {
    throw permanentFailure(UPLOAD_SESSION_CANCELLED, 'the session was cancelled');
  };
  activities.describeImage = () => assert.fail('no further step may run');
  const args = input();
  await testEnv.withWorkers(activities, async () => {
    const handle = await start(args);
    assert.deepEqual(await handle.result(), { outcome: 'partially_completed' });
    const { timeline } = foldHistory(await handle.fetchHistory(), 'run');
    assert.equal(timeline.outcome, 'cancelled');
  });
  assert.equal(outcome(), 'cancelled');
  assert.deepEqual(statuses(projections.at(-1)), { variant: 'completed', description: 'skipped' });
  assert.equal(projections.at(-1)?.components.description?.cause, 'cancelled');
  await assertHistoryAgrees(args, projections);
});

test('activities and workflows paused by an operator are distinguished from waiting ones', async () => {
  const { activities } = recorder();
  let broken = true;
  activities.readText = () => {
    if (broken) throw ApplicationFailure.retryable('not now', 'SERVER_UNAVAILABLE');
  };
  const args = input();
  const engine = engineOf();
  const { workflowService, options } = engine.client;
  const execution = { workflowId: FILE_WORKFLOWS.of(args.fileId) };
  const by = { identity: 'ada@example', reason: 'looking into it' };
  await testEnv.withWorkers(activities, async () => {
    const handle = await start(args);
    const run = () => describeRun(engine, args.fileId, 5000);
    await eventually(async () => assert.ok((await run())?.pending[0]?.lastFailure));
    const id = (await run())?.activities[0]?.id ?? '';
    await workflowService.pauseActivity({ namespace: options.namespace, execution, id, ...by });
    const paused = await eventually(async () => {
      const seen = await run();
      assert.ok(seen?.pending[0]?.operatorPause);
      return seen;
    });
    const { since, ...who } = paused.pending[0]?.operatorPause ?? {};
    assert.deepEqual([since instanceof Date, who, isPaused(paused)], [true, by, true]);
    await workflowService.unpauseActivity({ namespace: options.namespace, execution, id });

    const whole = { namespace: options.namespace, ...execution, ...by };
    await workflowService.pauseWorkflowExecution(whole);
    const seen = await run();
    assert.deepEqual([seen?.operatorPause?.reason, seen && isPaused(seen)], [by.reason, true]);
    broken = false;
    await workflowService.unpauseWorkflowExecution(whole);
    assert.deepEqual(await handle.result(), { outcome: 'completed' });
  });
  await engine.close();
});

test('a write that the database does not answer becomes a regular activity and delays no other file', async () => {
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
  const { events } = await testEnv.env.client.workflow
    .getHandle(FILE_WORKFLOWS.of(args.fileId))
    .fetchHistory();
  const scheduled = events
    ?.map((event) => event.activityTaskScheduledEventAttributes?.activityType?.name)
    .filter(Boolean);
  assert.deepEqual(scheduled, [
    'makeImage',
    'renderVariants',
    'projectFile',
    'readText',
    'describeImage',
    'indexImage',
  ]);
});

const AT = '2026-11-21T12:00:00.000Z';
const ended = (...steps: EndedStep['step'][]): FastPathResult => ({
  ended: steps.map((step) => ({ step, startedAt: AT, endedAt: AT })),
});
const ALL = ['renderVariants', 'readText', 'describeImage', 'indexImage'] as const;

/** The steps of the timeline according to the history. */
async function stepsOf(args: ProcessFileInput) {
  const handle = testEnv.env.client.workflow.getHandle(FILE_WORKFLOWS.of(args.fileId));
  const { timeline } = foldHistory(await handle.fetchHistory(), 'run');
  return timeline.steps.map(({ step, attempt, outcome }) => `${step} ${attempt} ${outcome}`);
}

test('a fast path that ends every step leaves no step and no write to the workflow, and the history shows each step', async () => {
  const { activities, projections } = recorder();
  activities.makeImage = () => ended(...ALL);
  for (const step of ALL) activities[step] = () => assert.fail(`${step} must not run again`);
  activities.finishFileWork = () => assert.fail('the fast path has already recorded the end');
  const args = input();
  assert.deepEqual(await run(activities, args), { outcome: 'completed' });
  assert.equal(projections.length, 1);
  assert.deepEqual(
    await stepsOf(args),
    ALL.map((step) => `${step} 1 completed`),
  );
  const handle = testEnv.env.client.workflow.getHandle(FILE_WORKFLOWS.of(args.fileId));
  const history = await handle.fetchHistory();
  const { components } = foldHistory(history, 'run');
  assert.deepEqual(
    Object.values(components).map(({ status, cause }) => cause ?? status),
    ['completed', 'completed', 'by_request'],
  );
  const upserts = history.events?.filter((event) => event.upsertWorkflowSearchAttributesEventAttributes);
  assert.equal(upserts?.length, 1);
});

test('a document goes on after its fast path, and a run that does not try it begins with its first step', async () => {
  const { activities, projections } = recorder();
  const document = (): ProcessFileInput => ({
    ...input(initialComponents('document', { autoDescribe: false })),
    mediaType: 'document',
  });
  const order: string[] = [];
  activities.makeDocument = () => ended('inspectDocument', 'digitizeDocument', 'chunkDocument');
  activities.indexChunks = () => void order.push('indexChunks');
  activities.renderFirstPage = () => void order.push('renderFirstPage');
  activities.inspectDocument = () => assert.fail('the fast path has inspected it');
  activities.beginFileWork = (first: Omit<FileProjection, 'seq'>) => {
    projections.push({ ...first, seq: 1 });
    return { seq: 1, visionProvider: 'test', triesFastPath: true };
  };
  const args = document();
  assert.deepEqual(await run(activities, args), { outcome: 'completed' });
  assert.deepEqual(order, ['indexChunks', 'renderFirstPage']);
  await assertHistoryAgrees(args, projections);

  const { activities: former } = recorder();
  former.makeDocument = () => assert.fail('this run began before documents had a fast path');
  former.inspectDocument = () => {
    throw permanentFailure('DOCUMENT_DAMAGED', 'the document cannot be read');
  };
  assert.equal((await run(former, document())).outcome, 'failed');
});

for (const count of [1, 2, 3]) {
  test(`the ${ALL.length - count} steps that a fast path leaves run once each, in order`, async () => {
    const { activities, projections } = recorder();
    activities.makeImage = () => ended(...ALL.slice(0, count));
    const order: string[] = [];
    for (const step of ALL) activities[step] = () => void order.push(step);
    const args = input();
    assert.deepEqual(await run(activities, args), { outcome: 'completed' });
    assert.deepEqual(order, ALL.slice(count));
    // The fast path has written seq 2.
    assert.deepEqual(
      projections.map(({ seq }) => seq),
      [1, 3],
    );
    assert.deepEqual(
      await stepsOf(args),
      ALL.map((step) => `${step} 1 completed`),
    );
    await assertHistoryAgrees(args, projections);
  });
}

test('a permanent failure in the fast path fails its component, and no step runs again', async () => {
  const { activities } = recorder();
  const error = { code: 'IMAGE_UNREADABLE', message: 'the image cannot be read' };
  activities.makeImage = (): FastPathResult => ({
    ended: [{ step: 'renderVariants', startedAt: AT, endedAt: AT, error }],
  });
  for (const step of ALL) activities[step] = () => assert.fail('no step may run');
  activities.finishFileWork = () => assert.fail('the fast path has already recorded the end');
  const args = input();
  const failures = [{ component: 'variant', code: error.code, reason: error.message }];
  assert.deepEqual(await run(activities, args), { outcome: 'failed', failures });
  const handle = testEnv.env.client.workflow.getHandle(FILE_WORKFLOWS.of(args.fileId));
  // The engine shows it as failed; its run has ended by itself.
  assert.equal((await handle.describe()).status.name, 'FAILED');
  const { components, timeline } = foldHistory(await handle.fetchHistory(), 'run');
  assert.equal(timeline.outcome, 'completed');
  assert.deepEqual(components.variant?.error, error);
  assert.equal(components.description?.cause, 'upstream_failed');
});

test('a fast path that fails is replaced by the steps, and its failure stays visible', async () => {
  const { activities, projections } = recorder();
  activities.makeImage = () => {
    throw permanentFailure('INTERNAL', 'an unexpected error');
  };
  const args = input();
  assert.deepEqual(await run(activities, args), { outcome: 'completed' });
  assert.deepEqual(await stepsOf(args), [
    'renderVariants 1 failed',
    ...ALL.map((step) => `${step} 1 completed`),
  ]);
  await assertHistoryAgrees(args, projections);
});

test('results that a fast path recorded but could not report are found and not computed again', async () => {
  const { activities } = recorder();
  activities.makeImage = () => {
    throw permanentFailure('WORKER_LOST', 'the worker vanished');
  };
  activities.settleFastPath = () => ended(...ALL);
  for (const step of ALL) activities[step] = () => assert.fail(`${step} must not run again`);
  const args = input();
  assert.deepEqual(await run(activities, args), { outcome: 'completed' });
  assert.deepEqual(await stepsOf(args), [
    'renderVariants 1 failed',
    ...ALL.map((step) => `${step} 1 completed`),
  ]);
  const handle = testEnv.env.client.workflow.getHandle(FILE_WORKFLOWS.of(args.fileId));
  const { components } = foldHistory(await handle.fetchHistory(), 'run');
  assert.equal(components.description?.status, 'completed');
});

test('a lost attempt of the fast path is shown with the step that it had reached', async () => {
  const { activities, projections } = recorder();
  let attempts = 0;
  activities.makeImage = (): FastPathResult => {
    attempts += 1;
    if (attempts === 1) throw retryableFailure('WORKER_LOST', 'the worker vanished');
    return { ended: [], lostAt: 'readText' };
  };
  const args = input();
  assert.deepEqual(await run(activities, args), { outcome: 'completed' });
  assert.deepEqual(await stepsOf(args), ['readText 1 failed', ...ALL.map((step) => `${step} 1 completed`)]);
  await assertHistoryAgrees(args, projections);
});

test('during a fast path the engine shows its current step and the components in progress', async () => {
  const { activities } = recorder();
  const [reached, proceed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  activities.makeImage = async () => {
    await reached.promise;
    Context.current().heartbeat({ counted: 1, attempt: 1, step: 'describeImage' });
    await proceed.promise;
    return ended(...ALL);
  };
  const args = input();
  const engine = engineOf();
  const seen = async (step: string) =>
    eventually(async () => {
      const pending = (await describeRun(engine, args.fileId, 5000))?.pending[0];
      assert.deepEqual([pending?.step, pending?.state], [step, 'running']);
      return pending?.begun;
    });
  await testEnv.withWorkers(activities, async () => {
    const handle = await start(args);
    assert.deepEqual(await seen('renderVariants'), ['variant']);
    reached.resolve();
    assert.deepEqual(await seen('describeImage'), ['variant', 'description']);
    const { timeline } = foldHistory(await handle.fetchHistory(), 'run');
    const run = await describeRun(engine, args.fileId, 5000);
    const shown = withPendingSteps(timeline, run?.pending ?? []);
    assert.deepEqual(
      shown.steps.map(({ step, outcome }) => [step, outcome]),
      [['describeImage', 'running']],
    );
    proceed.resolve();
    await handle.result();
  });
  await engine.close();
});

test('a run that is cancelled at the end of its fast path keeps the recorded results', async () => {
  const { activities, projections, outcome } = recorder();
  const [reached, proceed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  activities.makeImage = async () => {
    reached.resolve();
    await proceed.promise;
    return ended('renderVariants');
  };
  for (const step of ALL) activities[step] = () => assert.fail('no further step may run');
  const args = input();
  await testEnv.withWorkers(activities, async () => {
    const handle = await start(args);
    await reached.promise;
    await handle.cancel();
    proceed.resolve();
    await assert.rejects(handle.result(), /cancelled/i);
  });
  assert.equal(outcome(), 'cancelled');
  assert.deepEqual(statuses(projections.at(-1)), { variant: 'completed', description: 'skipped' });
  await assertHistoryAgrees(args, projections);
});

test('a retry uses no fast path', async () => {
  const { activities } = recorder();
  activities.makeImage = () => assert.fail('a retry must run the steps one by one');
  assert.deepEqual(await run(activities, { ...input(), generation: 2 }), { outcome: 'completed' });
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
  await testEnv.withWorkers(activities, async () => {
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
