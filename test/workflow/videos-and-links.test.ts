import { ApplicationFailure } from '@temporalio/common';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { initialComponents, type ComponentName, type Components } from '../../domain/components.ts';
import { explain } from '../../domain/explain.ts';
import type { MediaType } from '../../domain/media.ts';
import { componentsOf } from '../../domain/pipelines/index.ts';
import { retryComponents } from '../../domain/retry-components.ts';
import { findStuck } from '../../domain/stuck.ts';
import type { FileProjection } from '../../services/processing/end-file-run.ts';
import { createEngine, type Engine } from '../../temporal/client.ts';
import {
  HOST_BUSY,
  FAIR_SHARE_EXCEEDED,
  permanentFailure,
  retryableFailure,
  UPLOAD_SESSION_CANCELLED,
  UPLOAD_SESSION_PAUSED,
} from '../../temporal/contract/failures.ts';
import { FILE_WORKFLOWS, type ProcessFileInput } from '../../temporal/contract/process-file.ts';
import { endUploadSessionPause } from '../../temporal/end-upload-session-pause.ts';
import { describeRun, type RunView } from '../../temporal/status/describe-run.ts';
import { foldHistory } from '../../temporal/status/fold-history.ts';
import { readLiveness } from '../../temporal/status/read-liveness.ts';
import { createLastSeenOf } from '../../temporal/status/task-queues.ts';
import { eventually } from '../support/api.ts';
import {
  resultOfFile,
  startWorkflowEnv,
  type FakeActivities,
  type WorkflowEnv,
} from '../support/workflow-env.ts';
import { workflowOptions } from '../../temporal/contract/workflow.ts';

/** The rules tested for runs of images also hold for these media, at each step of their pipelines. */
const MEDIA = ['video', 'link'] as const satisfies MediaType[];
const ENGINE_MS = 5000;
const MINUTE_MS = 60_000;

const stepsOf = (mediaType: MediaType, names?: readonly string[]) =>
  componentsOf(mediaType)
    .filter(({ name }) => names?.includes(name) ?? true)
    .flatMap(({ steps }) => steps.map(({ activity }): string => activity));

/** A file whose activities are fakes. */
interface FakeFile {
  /** Overrides by step; every other step succeeds. */
  overrides: Record<string, () => unknown>;
  /** Completed steps, in order. */
  done: string[];
  projections: FileProjection[];
}
const files = new Map<string, FakeFile>();
const fileOf = ({ fileId }: { fileId: string }) => files.get(fileId) ?? assert.fail(`no file ${fileId}`);

const record = (projection: FileProjection) => void fileOf(projection).projections.push(projection);
const activities: FakeActivities & Record<string, (given: never) => unknown> = {
  beginFileWork(begun: Omit<FileProjection, 'seq'>) {
    record({ ...begun, seq: 1 });
    return { seq: 1, visionProvider: 'test' };
  },
  projectFile: record,
  finishFileWork: record,
};
for (const step of MEDIA.flatMap((mediaType) => stepsOf(mediaType))) {
  activities[step] = async (target: { fileId: string }) => {
    const { overrides, done } = fileOf(target);
    await overrides[step]?.();
    done.push(step);
  };
}

let testEnv: WorkflowEnv;
let engine: Engine;
const over = Promise.withResolvers<void>();
let working: Promise<void>;
before(async () => {
  testEnv = await startWorkflowEnv();
  const { address, namespace = 'default' } = testEnv.env;
  engine = createEngine({ TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace });
  working = testEnv.withWorkers(activities, () => over.promise);
});
after(async () => {
  over.resolve();
  await working;
  await engine.close();
  await testEnv.close();
});

/** @param again components to retry */
async function start(
  mediaType: MediaType,
  {
    overrides = {},
    again,
    seconds,
  }: { overrides?: FakeFile['overrides']; again?: Components; seconds?: number } = {},
) {
  const fileId = randomUUID();
  const file: FakeFile = { overrides, done: [], projections: [] };
  files.set(fileId, file);
  const input: ProcessFileInput = {
    fileId,
    tenantId: randomUUID(),
    mediaType,
    generation: again ? 2 : 1,
    components: again ?? initialComponents(mediaType, { autoDescribe: true }),
    priority: 'normal',
  };
  const handle = await testEnv.env.client.workflow.start('processFile', {
    ...workflowOptions(FILE_WORKFLOWS, input),
    taskQueue: 'workflows',
    ...(seconds && { workflowRunTimeout: `${seconds} seconds` }),
  });
  return {
    fileId,
    handle,
    done: file.done,
    row: () => file.projections.at(-1)?.components ?? {},
    history: () => handle.fetchHistory(),
    folded: async () => foldHistory(await handle.fetchHistory(), 'run'),
    run: async (): Promise<RunView> =>
      (await describeRun(engine, fileId, ENGINE_MS)) ?? assert.fail(`no run of ${fileId}`),
  };
}

type Started = Awaited<ReturnType<typeof start>>;

/** Asserts that folding the history gives the statuses written to the row. */
async function assertHistoryAgrees({ folded, row, handle }: Started): Promise<void> {
  const { workflowId } = handle;
  const facts = (components: Components) =>
    Object.fromEntries(
      Object.entries(components).map(([name, { status, cause, error }]) => [name, { status, cause, error }]),
    );
  assert.deepEqual(facts((await folded()).components), facts(row()), workflowId);
}

/** A step that ends only when the test releases it. */
function held() {
  const [reached, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const hold = (): Promise<void> => {
    reached.resolve();
    return release.promise;
  };
  return { hold, reached: reached.promise, release: release.resolve };
}

for (const mediaType of MEDIA) {
  const all = componentsOf(mediaType).map(({ name }) => name);
  const [first = '', second = ''] = stepsOf(mediaType);

  test(`a ${mediaType} passes through its steps in order, and its history agrees with its row`, async () => {
    const file = await start(mediaType);
    assert.deepEqual(await file.handle.result(), { outcome: 'completed' });
    assert.deepEqual(file.done, stepsOf(mediaType));
    await assertHistoryAgrees(file);
    const { timeline } = await file.folded();
    assert.deepEqual(
      timeline.steps.map(({ step, attempt, outcome }) => `${step} ${attempt} ${outcome}`),
      file.done.map((step) => `${step} 1 completed`),
    );
  });

  for (const { name: component, steps } of componentsOf(mediaType)) {
    for (const { activity, title } of steps) {
      test(`a ${mediaType} whose run is terminated at ${activity} has failed from that step on, according to the history alone`, async () => {
        const { hold, reached, release } = held();
        const { handle, folded, run } = await start(mediaType, { overrides: { [activity]: hold } });
        await reached;
        await handle.terminate('an operator said so');
        release();
        const { components, timeline } = await folded();
        const message = 'the workflow was terminated: an operator said so';
        for (const [at, name] of all.entries()) {
          const { status, error } = components[name] ?? {};
          const unfinished = at >= all.indexOf(component);
          assert.deepEqual([name, status], [name, unfinished ? 'failed' : 'completed']);
          if (unfinished) assert.deepEqual(error, { code: 'WORKFLOW_TERMINATED', message });
        }
        assert.deepEqual([timeline.outcome, (await run()).outcome], ['terminated', 'terminated']);
      });

      test(`a ${mediaType} waits for an outage at ${activity} with an explanation and repeats no other step`, async () => {
        let down = true;
        const file = await start(mediaType, {
          overrides: {
            [activity]() {
              if (down) throw retryableFailure('MODEL_UNAVAILABLE', 'it is away', { retryAfterSeconds: 0.3 });
            },
          },
        });
        await eventually(async () => {
          const { components } = await file.folded();
          const facts = { mediaType, components, engine: 'reachable', started: true } as const;
          const explanation = explain({ ...facts, ...(await file.run()) });
          assert.match(explanation, new RegExp(`^${title} waiting: it is away, attempt \\d+, next try `));
        });
        down = false;
        assert.deepEqual(await file.handle.result(), { outcome: 'completed' });
        assert.deepEqual(file.done, stepsOf(mediaType));
        await assertHistoryAgrees(file);
      });
    }

    test(`after ${component} of a ${mediaType} failed, a retry runs it and its dependents and keeps the rest`, async () => {
      const broken = stepsOf(mediaType, [component]).at(-1) ?? '';
      const fail = () => {
        throw permanentFailure('BROKEN', 'it broke');
      };
      const failing = await start(mediaType, { overrides: { [broken]: fail } });
      assert.notEqual((await resultOfFile(failing.handle)).outcome, 'completed');
      await assertHistoryAgrees(failing);
      const failed = (await failing.folded()).components;
      assert.deepEqual(failed[component]?.error, { code: 'BROKEN', message: 'it broke' });
      const { components, retried } = retryComponents({ mediaType, components: failed });
      assert.ok(retried.includes(component));
      const retry = await start(mediaType, { again: components });
      assert.deepEqual(await retry.handle.result(), { outcome: 'completed' });
      assert.deepEqual(retry.done, stepsOf(mediaType, retried));
      for (const name of all)
        if (!retried.includes(name)) assert.deepEqual(retry.row()[name], failed[name], name);
    });
  }

  test(`a ${mediaType} whose run times out has failed, according to the history alone`, async () => {
    const { hold, reached, release } = held();
    const { handle, folded } = await start(mediaType, { overrides: { [first]: hold }, seconds: 1 });
    await reached;
    await assert.rejects(handle.result());
    release();
    const { components, timeline } = await folded();
    assert.equal(timeline.outcome, 'timed_out');
    for (const name of all) assert.equal(components[name]?.status, 'failed');
  });

  test(`a ${mediaType} of a paused session waits in the engine and continues at once when it is resumed`, async () => {
    let paused = true;
    const wait = () => {
      const options = { retryAfterSeconds: 3600 };
      if (paused) throw retryableFailure(UPLOAD_SESSION_PAUSED, 'the session is paused', options);
    };
    const file = await start(mediaType, { overrides: { [second]: wait } });
    await eventually(async () => assert.ok((await file.run()).pending[0]?.sessionPaused));
    paused = false;
    await endUploadSessionPause(engine, file.fileId, ENGINE_MS);
    assert.deepEqual(await file.handle.result(), { outcome: 'completed' });
    assert.deepEqual(file.done, stepsOf(mediaType));
    assert.ok((await file.folded()).timeline.steps.every(({ error }) => error === undefined));
  });

  test(`a ${mediaType} of a cancelled session keeps its completed components`, async () => {
    const [completed, ...others] = all as [ComponentName, ...ComponentName[]];
    const cancel = () => {
      throw permanentFailure(UPLOAD_SESSION_CANCELLED, 'the session was cancelled');
    };
    const [next = ''] = stepsOf(mediaType, others);
    const file = await start(mediaType, { overrides: { [next]: cancel } });
    assert.deepEqual(await file.handle.result(), { outcome: 'partially_completed' });
    assert.deepEqual(file.done, stepsOf(mediaType, [completed]));
    await assertHistoryAgrees(file);
    for (const name of others) assert.equal(file.row()[name]?.cause, 'cancelled');
  });
}

const WAITS: [what: string, MediaType, step: string, code: string, cause: string | undefined][] = [
  ['a video without ffmpeg', 'video', 'findScenes', 'FFMPEG_MISSING', 'waiting_external'],
  ['a video whose reader crashes', 'video', 'findScenes', 'VIDEO_READER_CRASHED', 'retrying'],
  ['a video between two time slices', 'video', 'findScenes', FAIR_SHARE_EXCEEDED, undefined],
  ['a video whose model is rate-limited', 'video', 'describeVideo', 'MODEL_RATE_LIMITED', 'waiting_external'],
  ['a link whose site is overloaded', 'link', 'crawlPage', 'URL_ANSWERED_ERROR', 'waiting_external'],
  ['a link whose page crashes its parser', 'link', 'crawlPage', 'PARSER_CRASHED', 'retrying'],
  ['a link behind other pages of its site', 'link', 'crawlPage', HOST_BUSY, undefined],
];
for (const [what, mediaType, step, code, cause] of WAITS) {
  test(`${what} is ${cause ? `eventually stuck with cause ${cause}` : 'never stuck'}`, async () => {
    const wait = () => {
      throw ApplicationFailure.create({ type: code, message: 'not now', nextRetryDelay: '2 hours' });
    };
    const { handle, history, run } = await start(mediaType, { overrides: { [step]: wait } });
    await eventually(async () => {
      const seen = await run();
      assert.ok(seen.pending[0]?.step === step && seen.pending[0].nextAttemptAt);
      const signs = await readLiveness(seen, await history(), createLastSeenOf(engine, ENGINE_MS));
      const later = new Date(Date.now() + 40 * MINUTE_MS);
      assert.equal(findStuck(signs, later, 30 * MINUTE_MS)?.cause, cause);
    });
    await handle.terminate();
  });
}
