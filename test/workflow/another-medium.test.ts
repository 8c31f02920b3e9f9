import { ApplicationFailure } from '@temporalio/common';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { chargesFor, creditsFor, settlement } from '../../domain/accounts/credits.ts';
import { initialComponents, type Components, type ComponentName } from '../../domain/components.ts';
import { explain } from '../../domain/explain.ts';
import type { MediaType } from '../../domain/media.ts';
import { componentsOf } from '../../domain/pipelines/index.ts';
import { retryComponents } from '../../domain/retry-components.ts';
import type { FileProjection } from '../../services/processing/end-file-run.ts';
import { FILE_WORKFLOWS, type ProcessFileInput } from '../../temporal/contract/process-file.ts';
import { describeRun } from '../../temporal/status/describe-run.ts';
import { foldHistory } from '../../temporal/status/fold-history.ts';
import { registerAudio } from '../support/audio-pipeline.ts';
import {
  bundleWorkflows,
  resultOfFile,
  startWorkflowEnv,
  type FakeActivities,
  type WorkflowEnv,
} from '../support/workflow-env.ts';
import { workflowOptions } from '../../temporal/contract/workflow.ts';

/** A fictitious medium runs on the generic code without any change to it. */
const mediaType = 'audio' as MediaType;
const [waveform, transcript] = ['waveform', 'transcript'] as unknown as [ComponentName, ComponentName];

let testEnv: WorkflowEnv;
before(async () => {
  registerAudio();
  testEnv = await startWorkflowEnv({ bundle: await bundleWorkflows('./audio-workflows.ts') });
});
after(() => testEnv.close());

/** Fakes that record every projection and the order of steps. */
function recorder(steps: Record<string, () => unknown> = {}) {
  const projections: FileProjection[] = [];
  const order: string[] = [];
  const step = (name: string) => async () => {
    order.push(name);
    await steps[name]?.();
  };
  const activities: Record<string, (...args: never[]) => unknown> = {
    beginFileWork: (first: Omit<FileProjection, 'seq'>) => {
      projections.push({ ...first, seq: 1 });
      return { seq: 1, visionProvider: 'test' };
    },
    projectFile: (projection: FileProjection) => void projections.push(projection),
    finishFileWork: (projection: FileProjection) => void projections.push(projection),
    drawWaveform: step('drawWaveform'),
    findSpeech: step('findSpeech'),
    transcribe: step('transcribe'),
  };
  return { activities: activities as FakeActivities, projections, order };
}

/** Postgres does not keep the key order of a `jsonb`, so the pipeline must not depend on it. */
const reordered = (components: Components) =>
  Object.fromEntries(Object.entries(components).toReversed()) as Components;

const fresh = () => reordered(initialComponents(mediaType, { autoDescribe: true }));

const start = (components: Components, fileId: string = randomUUID(), generation = 1) => {
  const input: ProcessFileInput = {
    fileId,
    tenantId: randomUUID(),
    mediaType,
    generation,
    components,
    priority: 'normal',
  };
  return testEnv.env.client.workflow.start('processFile', {
    ...workflowOptions(FILE_WORKFLOWS, input),
    taskQueue: 'workflows',
  });
};

const statusesOf = (components: Components) =>
  Object.fromEntries(Object.entries(components).map(([name, { status }]) => [name, status]));

test('a file of a new medium passes through its own components, and its history shows them', async () => {
  const { activities, projections, order } = recorder();
  await testEnv.withWorkers(activities, async () => {
    const handle = await start(fresh());
    assert.deepEqual(await handle.result(), { outcome: 'completed' });
    assert.deepEqual(order, ['drawWaveform', 'findSpeech', 'transcribe']);
    assert.deepEqual(
      projections.map(({ components }) => statusesOf(components)),
      [
        { waveform: 'queued', transcript: 'pending' },
        { waveform: 'completed', transcript: 'queued' },
        { waveform: 'completed', transcript: 'completed' },
      ],
    );

    const { components, timeline } = foldHistory(await handle.fetchHistory(), 'run');
    assert.deepEqual(statusesOf(components), { waveform: 'completed', transcript: 'completed' });
    assert.deepEqual(
      timeline.steps.map(({ step, component, outcome }) => [step, component, outcome]),
      [
        ['drawWaveform', 'waveform', 'completed'],
        ['findSpeech', 'transcript', 'completed'],
        ['transcribe', 'transcript', 'completed'],
      ],
    );
    assert.equal(settlement({ mediaType, components }, chargesFor(mediaType)), 'spend');
  });
});

test('the explanation of a waiting file names the steps of its medium', async () => {
  const reached = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const { activities } = recorder({
    transcribe: async () => {
      reached.resolve();
      await release.promise;
    },
  });
  await testEnv.withWorkers(activities, async () => {
    const fileId = randomUUID();
    const handle = await start(fresh(), fileId);
    await reached.promise;
    const engine = { within: (_ms: number, ask: (client: unknown) => unknown) => ask(testEnv.env.client) };
    const run = await describeRun(engine as unknown as Parameters<typeof describeRun>[0], fileId, 5000);
    assert.deepEqual(
      run?.pending.map(({ step, component, title, begun }) => [step, component, title, begun]),
      [['transcribe', 'transcript', 'Transcript', ['transcript']]],
    );
    release.resolve();
    await handle.result();
  });
});

test('a failure skips its dependents and refunds the credits, and a retry reruns both', async () => {
  const broken = recorder({
    drawWaveform: () => {
      throw ApplicationFailure.nonRetryable('there is no sound in it', 'AUDIO_SILENT');
    },
  });
  const { components } = await testEnv.withWorkers(broken.activities, async () => {
    const handle = await start(fresh());
    assert.deepEqual(await resultOfFile(handle), {
      outcome: 'failed',
      failures: [{ component: 'waveform', code: 'AUDIO_SILENT', reason: 'there is no sound in it' }],
    });
    return foldHistory(await handle.fetchHistory(), 'run');
  });
  assert.deepEqual(broken.order, ['drawWaveform']);
  assert.equal(components[transcript]?.cause, 'upstream_failed');
  assert.deepEqual(
    statusesOf(broken.projections.at(-1)?.components ?? {}),
    statusesOf(components),
    'the row equals the history',
  );
  assert.equal(settlement({ mediaType, components }, chargesFor(mediaType)), 'refund');
  assert.equal(
    explain({
      mediaType,
      components,
      engine: 'reachable',
      started: true,
      pending: [],
      workflowTaskAttempt: 1,
    }),
    'Waveform failed: there is no sound in it.',
  );

  const retry = retryComponents({ mediaType, components: reordered(components) }, [waveform]);
  assert.deepEqual(retry.retried, ['waveform', 'transcript']);
  assert.equal(creditsFor(mediaType, retry.retried), 2);
  const again = recorder();
  await testEnv.withWorkers(again.activities, async () => {
    const handle = await start(retry.components, randomUUID(), 2);
    assert.deepEqual(await handle.result(), { outcome: 'completed' });
  });
  assert.deepEqual(again.order, ['drawWaveform', 'findSpeech', 'transcribe']);
});

test('a file costs the sum of its components and skips those that were not requested', () => {
  assert.deepEqual([creditsFor(mediaType), creditsFor(mediaType, [waveform])], [2, 0]);
  assert.deepEqual(initialComponents(mediaType, { autoDescribe: false })[transcript], {
    status: 'skipped',
    cause: 'by_request',
  });
});

test('images are unaffected', () => {
  assert.deepEqual(
    componentsOf('image').map(({ name }) => name),
    ['variant', 'description', 'extraction'],
  );
});
