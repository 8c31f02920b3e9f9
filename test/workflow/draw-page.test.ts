import { ApplicationFailure } from '@temporalio/common';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { initialComponents } from '../../domain/components.ts';
import { retryComponents } from '../../domain/retry-components.ts';
import { DRAW_PAGE, type DrawPageInput } from '../../temporal/contract/draw-page.ts';
import { FILE_WORKFLOWS, type ProcessFileInput } from '../../temporal/contract/process-file.ts';
import { startWorkflowEnv, type WorkflowEnv } from '../support/workflow-env.ts';
import { workflowOptions } from '../../temporal/contract/workflow.ts';

let testEnv: WorkflowEnv;
before(async () => {
  testEnv = await startWorkflowEnv();
});
after(() => testEnv.close());

const draw = () =>
  testEnv.env.client.workflow.start('drawPage', {
    ...workflowOptions(DRAW_PAGE, {
      fileId: randomUUID(),
      tenantId: randomUUID(),
      pageNumber: 3,
      width: 640,
    }),
    taskQueue: 'workflows',
  });

test('a page that can never be drawn is noted with the reason, and a crash is retried', async () => {
  const failures: unknown[] = [];
  let attempts = 0;
  const activities: Record<string, (...args: never[]) => unknown> = {
    drawPageImage: () => {
      attempts += 1;
      throw attempts === 1
        ? ApplicationFailure.retryable('the reader crashed on this document', 'READER_CRASHED')
        : ApplicationFailure.nonRetryable('the page is damaged', 'DOCUMENT_DAMAGED');
    },
    failPageImage: ({ pageNumber, width }: DrawPageInput, reason: unknown) =>
      void failures.push([pageNumber, width, reason]),
  };
  await testEnv.withWorkers(activities, async () => {
    await assert.rejects((await draw()).result(), ({ cause }: Error) => /is damaged/.test(String(cause)));
  });
  assert.equal(attempts, 2);
  assert.deepEqual(failures, [[3, 640, { code: 'DOCUMENT_DAMAGED', message: 'the page is damaged' }]]);
});

const RECORD = {
  beginFileWork: () => ({ seq: 1, visionProvider: 'test' }),
  projectFile: () => undefined,
  finishFileWork: () => undefined,
};

function process(components: ProcessFileInput['components']) {
  const input: ProcessFileInput = {
    fileId: randomUUID(),
    tenantId: randomUUID(),
    mediaType: 'document',
    generation: 2,
    components,
    priority: 'normal',
  };
  return testEnv.env.client.workflow.start('processFile', {
    ...workflowOptions(FILE_WORKFLOWS, input),
    taskQueue: 'workflows',
  });
}

const done = { status: 'completed' } as const;
const READ = { text_extraction: done, digitization: done, description: done };

test('a failed preview leaves the file with its text, and its description is made', async () => {
  const initial = initialComponents('document', { autoDescribe: true });
  const described: unknown[] = [];
  const activities: Record<string, (...args: never[]) => unknown> = {
    ...RECORD,
    renderFirstPage: () => {
      throw ApplicationFailure.nonRetryable('the page is damaged', 'DOCUMENT_DAMAGED');
    },
    describeDocument: () => void described.push(1),
  };
  await testEnv.withWorkers(activities, async () => {
    const handle = await process({ ...initial, text_extraction: done, digitization: done });
    assert.deepEqual(await handle.result(), {
      outcome: 'partially_completed',
      failures: [{ component: 'preview', code: 'DOCUMENT_DAMAGED', reason: 'the page is damaged' }],
    });
  });
  assert.equal(described.length, 1);
});

test('a file that is older than previews gets one only on request', async () => {
  const drawn: unknown[] = [];
  const activities: Record<string, (...args: never[]) => unknown> = {
    ...RECORD,
    renderFirstPage: () => void drawn.push(1),
  };
  const older = { mediaType: 'document', components: READ };
  assert.deepEqual(retryComponents(older).retried, []);
  const { components, retried } = retryComponents(older, ['preview']);
  assert.deepEqual(retried, ['preview']);
  await testEnv.withWorkers(activities, async () => {
    assert.deepEqual(await (await process(READ)).result(), { outcome: 'completed' });
    assert.equal(drawn.length, 0);
    assert.deepEqual(await (await process(components)).result(), { outcome: 'completed' });
    assert.equal(drawn.length, 1);
  });
});
