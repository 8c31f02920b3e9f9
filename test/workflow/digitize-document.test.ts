import { ApplicationFailure, defaultPayloadConverter } from '@temporalio/common';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { initialComponents } from '../../domain/components.ts';
import { primaryStatus } from '../../domain/primary-status.ts';
import { isBusy } from '../../domain/trash/trash.ts';
import type { FileProjection } from '../../services/processing/end-file-run.ts';
import { type PagePlan, STEP_WORKFLOW_IDS } from '../../temporal/contract/digitize-document.ts';
import { FILE_WORKFLOWS, type ProcessFileInput } from '../../temporal/contract/process-file.ts';
import { foldHistory } from '../../temporal/status/fold-history.ts';
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

/**
 * Pages in memory; reading a batch calls `read` for each of its pages, and laying out a scanned page by a model calls
 * `layOut`.
 */
function fakeDocument(
  total: number,
  scanned: readonly number[],
  read: (page: number) => unknown = () => undefined,
  pagesABatch = 4,
  layOut?: (page: number) => unknown,
) {
  const due = new Set<number>();
  const laidOut: number[] = [];
  const byRules: [number, string][] = [];
  const status = new Map(Array.from({ length: total }, (_, at) => [at + 1, 'pending']));
  const reads: number[][] = [];
  const steps: string[] = [];
  const projections: FileProjection[] = [];
  let inFlight = 0;
  let most = 0;
  const numbers = (wanted: string) => [...status].filter(([, has]) => has === wanted).map(([page]) => page);
  const readBatch = async (pages: number[]) => {
    inFlight += 1;
    most = Math.max(most, inFlight);
    try {
      reads.push(pages);
      for (const page of pages) await read(page);
      for (const page of pages) status.set(page, 'completed');
      return 0;
    } finally {
      inFlight -= 1;
    }
  };
  const step = (name: string) => async () => void steps.push(name);
  const activities: Record<string, (...args: never[]) => unknown> = {
    beginFileWork: (first: Omit<FileProjection, 'seq'>) => {
      projections.push({ ...first, seq: 1 });
      return { seq: 1, visionProvider: 'test' };
    },
    projectFile: (projection: FileProjection) => void projections.push(projection),
    finishFileWork: (projection: FileProjection) => void projections.push(projection),
    inspectDocument: step('inspectDocument'),
    planPages: (_target: unknown, maxBatches: number): PagePlan => {
      const open = numbers('pending');
      const text = open.filter((page) => !scanned.includes(page));
      const groups = Array.from({ length: Math.ceil(text.length / pagesABatch) }, (_, at) =>
        text.slice(at * pagesABatch, (at + 1) * pagesABatch),
      );
      const batches = [
        ...groups.map((pages) => ({ work: 'cpu' as const, pages })),
        ...open
          .filter((page) => scanned.includes(page))
          .map((page) => ({ work: 'ocr' as const, pages: [page] })),
      ];
      const failedPages = numbers('failed');
      const completed = numbers('completed').length;
      return {
        batches:
          batches.length > 0
            ? batches.slice(0, maxBatches)
            : [...due].slice(0, maxBatches).map((page) => ({ work: 'vision' as const, pages: [page] })),
        total,
        completed,
        failed: failedPages.length,
        layoutsDue: due.size,
        failedPages,
      };
    },
    failPages: (_target: unknown, pages: number[]) => pages.forEach((page) => status.set(page, 'failed')),
    readPages: ({ pages }: { pages: number[] }) => readBatch(pages),
    recognisePage: async ({ page, visionProvider }: { page: number; visionProvider: string }) => {
      const failed = await readBatch([page]);
      if (layOut && visionProvider === 'test') due.add(page);
      return failed;
    },
    layOutPage: async ({ page }: { page: number }) => {
      await layOut?.(page);
      laidOut.push(page);
      due.delete(page);
    },
    keepLayoutByRules: (_target: unknown, pages: number[], reason: { code: string }) => {
      for (const page of pages) {
        due.delete(page);
        byRules.push([page, reason.code]);
      }
    },
    chunkDocument: step('chunkDocument'),
    indexChunks: step('indexChunks'),
    renderFirstPage: step('renderFirstPage'),
    describeDocument: step('describeDocument'),
  };
  return {
    activities: activities as FakeActivities,
    numbers,
    reads,
    steps,
    projections,
    laidOut,
    byRules,
    most: () => most,
  };
}

async function start(fileId: string = randomUUID(), given: Partial<ProcessFileInput> = {}) {
  const input: ProcessFileInput = {
    fileId,
    tenantId: randomUUID(),
    mediaType: 'document',
    generation: 1,
    components: initialComponents('document', { autoDescribe: true }),
    priority: 'normal',
    ...given,
  };
  return testEnv.env.client.workflow.start('processFile', {
    ...workflowOptions(FILE_WORKFLOWS, input),
    taskQueue: 'workflows',
  });
}

test('every page is read once in batches of bounded size, and then the document is chunked and indexed', async () => {
  const fake = fakeDocument(30, [3, 7, 9]);
  await testEnv.withWorkers(fake.activities, async () => {
    const handle = await start();
    assert.deepEqual(await handle.result(), { outcome: 'completed' });
    assert.deepEqual(fake.steps, [
      'inspectDocument',
      'chunkDocument',
      'indexChunks',
      'renderFirstPage',
      'describeDocument',
    ]);
    assert.deepEqual(
      fake.reads.flat().toSorted((a, b) => a - b),
      Array.from({ length: 30 }, (_, at) => at + 1),
    );
    assert.ok(fake.most() <= 6);
    const recorded = fake.projections.map((each) => each.components);
    const indexed = recorded.findIndex(({ digitization }) => digitization?.status === 'completed');
    assert.ok(indexed > 0);
    for (const [at, of] of recorded.entries()) {
      const busy = isBusy({ mediaType: 'document', components: of });
      assert.equal(
        busy,
        at < indexed,
        'the document must be busy, and so not deletable, from the first record until it is indexed',
      );
    }
    const { components, timeline } = foldHistory(await handle.fetchHistory(), 'run');
    assert.deepEqual(
      Object.values(components).map(({ status, cause }) => cause ?? status),
      ['completed', 'completed', 'completed', 'completed', 'by_request'],
    );
    assert.deepEqual(
      timeline.steps.map(({ step, outcome }) => [step, outcome]),
      [
        'inspectDocument',
        'digitizeDocument',
        'chunkDocument',
        'indexChunks',
        'renderFirstPage',
        'describeDocument',
      ].map((step) => [step, 'completed']),
    );
  });
});

test('a document of one page takes one run of few events with the name of the file as its summary', async () => {
  const fake = fakeDocument(1, []);
  await testEnv.withWorkers(fake.activities, async () => {
    const fileId = randomUUID();
    await (await start(fileId, { name: 'invoice.pdf' })).result();
    const digitization = testEnv.env.client.workflow.getHandle(STEP_WORKFLOW_IDS.digitizeDocument(fileId));
    const { events = [] } = await digitization.fetchHistory();
    assert.equal(events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId, '');
    assert.ok((events?.length ?? 0) <= 15, `${events?.length} events`);
    const described = await digitization.describe();
    assert.equal(await described.staticSummary(), 'invoice.pdf: Text and structure of the pages');
  });
});

test('a page that cannot be read fails alone, and the document is partially completed', async () => {
  const fake = fakeDocument(10, [], (page) => {
    if (page === 6) throw ApplicationFailure.nonRetryable('the page is damaged', 'DOCUMENT_DAMAGED');
  });
  await testEnv.withWorkers(fake.activities, async () => {
    const handle = await start();
    const reason = 'page 6 of 10 could not be read';
    assert.deepEqual(await handle.result(), {
      outcome: 'partially_completed',
      failures: [{ component: 'text_extraction', code: 'PAGES_FAILED', reason }],
    });
    assert.deepEqual([fake.numbers('failed'), fake.numbers('completed').length], [[6], 9]);
    const { components } = foldHistory(await handle.fetchHistory(), 'run');
    assert.deepEqual(components.text_extraction?.error, {
      code: 'PAGES_FAILED',
      message: 'page 6 of 10 could not be read',
    });
    assert.equal(primaryStatus(components), 'partially_completed');
    assert.deepEqual(
      fake.projections.at(-1)?.components.text_extraction?.error,
      components.text_extraction?.error,
      'the row equals the history',
    );
  });
});

test('the model lays out recognised pages once each, and the rules lay out those that it cannot', async () => {
  const scanned = Array.from({ length: 70 }, (_, at) => at + 1);
  const fake = fakeDocument(72, scanned, undefined, 4, (page) => {
    if (page === 7) throw ApplicationFailure.nonRetryable('the model refused to answer', 'MODEL_REFUSED');
  });
  await testEnv.withWorkers(fake.activities, async () => {
    const handle = await start();
    assert.deepEqual(await handle.result(), { outcome: 'completed' });
    assert.deepEqual(
      fake.laidOut.toSorted((a, b) => a - b),
      scanned.filter((page) => page !== 7),
    );
    assert.deepEqual(fake.byRules, [[7, 'MODEL_REFUSED']]);
    assert.equal(fake.reads.flat().length, 72);
  });
});

test('a file that is deleted during the layout of its pages ends the document', async () => {
  const fake = fakeDocument(1, [1], undefined, 4, () => {
    throw ApplicationFailure.nonRetryable('the file is gone', 'FILE_GONE');
  });
  await testEnv.withWorkers(fake.activities, async () => {
    const handle = await start();
    assert.deepEqual(await handle.result(), {
      outcome: 'failed',
      failures: [{ component: 'text_extraction', code: 'FILE_GONE', reason: 'the file is gone' }],
    });
    assert.deepEqual(fake.byRules, []);
  });
});

test('a document that has spent its processor time fails at once, and no page is tried alone', async () => {
  const fake = fakeDocument(40, [], (page) => {
    if (page > 4) throw ApplicationFailure.nonRetryable('too much time', 'DOCUMENT_BUDGET_SPENT');
  });
  await testEnv.withWorkers(fake.activities, async () => {
    const handle = await start();
    assert.deepEqual(await resultOfFile(handle), {
      outcome: 'failed',
      failures: [{ component: 'text_extraction', code: 'DOCUMENT_BUDGET_SPENT', reason: 'too much time' }],
    });
    assert.ok(fake.reads.every(({ length }) => length === 4) && fake.reads.length < 10);
  });
});

test('long batches count as several, so that each of their pages may be tried alone in a run', async () => {
  const fake = fakeDocument(2_048, [], undefined, 512);
  const plans: number[] = [];
  const plan = fake.activities['planPages'] as (...given: unknown[]) => PagePlan;
  const planPages = (target: unknown, most: number): PagePlan => {
    plans.push(most);
    const { batches, ...counts } = plan(target, most);
    return { ...counts, batches: batches.slice(0, Math.max(1, Math.floor((16 * most) / 512))) };
  };
  await testEnv.withWorkers({ ...fake.activities, planPages }, async () => {
    assert.deepEqual(await (await start()).result(), { outcome: 'completed' });
  });
  assert.deepEqual(plans, [64, 64, 64]);
  assert.equal(fake.reads.length, 4);
});

test('a document without any readable page fails, and its dependents are skipped', async () => {
  const fake = fakeDocument(2, [1, 2], () => {
    throw ApplicationFailure.nonRetryable('no image', 'DOCUMENT_DAMAGED');
  });
  await testEnv.withWorkers(fake.activities, async () => {
    const handle = await start();
    assert.equal((await resultOfFile(handle)).outcome, 'failed');
    const { components } = foldHistory(await handle.fetchHistory(), 'run');
    assert.deepEqual(
      [
        components.text_extraction?.error?.code,
        components.digitization?.cause,
        components.description?.cause,
      ],
      ['NO_PAGE_READ', 'upstream_failed', 'upstream_failed'],
    );
  });
});

test('a document of ten thousand pages is read in runs of bounded history, each page once', async () => {
  // A run ends after a number of batches, whatever their size: these batches make four runs, real ones make
  // ten.
  const fake = fakeDocument(10_000, [51, 9000], undefined, 50);
  await testEnv.withWorkers(fake.activities, async () => {
    const { client } = testEnv.env;
    const fileId = randomUUID();
    const handle = await start(fileId);
    assert.deepEqual(await handle.result(), { outcome: 'completed' });
    const reads = fake.reads.flat();
    assert.deepEqual(
      [reads.length, new Set(reads).size, fake.numbers('completed').length],
      [10_000, 10_000, 10_000],
    );

    const lengths: number[] = [];
    const named: string[] = [];
    const workflowId = `digitization/${fileId}`;
    let runId: string | undefined;
    do {
      const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
      const started = history.events?.[0]?.workflowExecutionStartedEventAttributes;
      lengths.push(history.events?.length ?? 0);
      for (const { userMetadata } of history.events ?? [])
        if (userMetadata?.summary)
          named.push(defaultPayloadConverter.fromPayload<string>(userMetadata.summary));
      runId = started?.continuedExecutionRunId ?? undefined;
    } while (runId);
    assert.ok(named.includes('Pages 1 to 50 of 10000') && named.includes('Page 9000 of 10000: OCR'));
    const { currentDetails } = await client.workflow
      .getHandle(workflowId)
      .query<{ currentDetails: string }>('__temporal_workflow_metadata');
    assert.equal(currentDetails, 'Ended: 10000 of 10000 pages read.');
    assert.equal(lengths.length, 4, `${lengths.length} runs`);
    assert.ok(Math.max(...lengths) < 1000, lengths.join(', '));
    const parent = await handle.describe();
    assert.ok(parent.historyLength < 60, `${parent.historyLength} events of the file`);
  });
});

test('a cancelled document stops between pages and keeps the pages already read', async () => {
  const reached = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const fake = fakeDocument(
    40,
    Array.from({ length: 40 }, (_, at) => at + 1),
    async () => {
      reached.resolve();
      await release.promise;
    },
  );
  await testEnv.withWorkers(fake.activities, async () => {
    const handle = await start();
    await reached.promise;
    await handle.cancel();
    release.resolve();
    await assert.rejects(handle.result());
    const { components, timeline } = foldHistory(await handle.fetchHistory(), 'run');
    assert.equal(components.text_extraction?.cause, 'cancelled');
    assert.equal(timeline.outcome, 'cancelled');
    assert.ok(fake.reads.length < 40);
  });
});
