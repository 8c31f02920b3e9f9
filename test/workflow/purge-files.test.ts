import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import type {
  PurgeCandidate,
  PurgeCursor,
  PurgePage,
  PurgeResult,
} from '../../temporal/contract/purge-files.ts';
import { startWorkflowEnv, type FakeActivities, type WorkflowEnv } from '../support/workflow-env.ts';

let testEnv: WorkflowEnv;
before(async () => {
  testEnv = await startWorkflowEnv();
});
after(() => testEnv.close());

const DAY_MS = 86_400_000;
const files = (count: number): PurgeCandidate[] =>
  Array.from({ length: count }, () => ({ fileId: randomUUID(), tenantId: randomUUID() }));
const cursor = (fileId: string): PurgeCursor => ({ deletedAt: '2026-11-21 08:00:00.000001+00', fileId });

function purge(activities: FakeActivities, days = 30): Promise<PurgeResult> {
  return testEnv.withWorkers(activities, () =>
    testEnv.env.client.workflow.execute('purgeFiles', {
      workflowId: `purge/${randomUUID()}`,
      taskQueue: 'workflows',
      args: [{ days }],
    }),
  );
}

/** Returns these pages and records the calls in order. */
function recorder(pages: PurgePage[], resisting: readonly PurgeCandidate[] = []) {
  const done: string[] = [];
  const asked: [string, PurgeCursor | undefined][] = [];
  const activities: FakeActivities = {
    claimPurgePage: (moment: string, at?: PurgeCursor) => {
      asked.push([moment, at]);
      return pages.shift() ?? { files: [] };
    },
    removeFileVectors: (page: PurgeCandidate[]) => void done.push(`vectors ${page.length}`),
    removeFileObjects: (page: PurgeCandidate[]) => {
      done.push(`objects ${page.length}`);
      return page.filter(({ fileId }) => !resisting.some((file) => file.fileId === fileId));
    },
    removeFailedUploads: () => {
      done.push('failed uploads');
      return 0;
    },
    removeOldAuditEvents: () => {
      done.push('audit log');
      return 0;
    },
    removeFileRows: (page: PurgeCandidate[]) => {
      done.push(`rows ${page.length}`);
      return page.length;
    },
  };
  return { done, asked, activities };
}

test('a purge works page by page, deletes rows last, and uses the same cut-off for all pages', async () => {
  const last = randomUUID();
  const { activities, done, asked } = recorder([
    { files: files(2), after: cursor(last) },
    { files: [], after: cursor(last) },
    { files: files(1) },
  ]);
  assert.deepEqual(await purge(activities), { purged: 3 });
  assert.deepEqual(done, [
    'vectors 2',
    'objects 2',
    'rows 2',
    'vectors 1',
    'objects 1',
    'rows 1',
    'failed uploads',
    'audit log',
  ]);
  assert.deepEqual(
    asked.map(([, at]) => at?.fileId),
    [undefined, last, last],
  );
  const moments = new Set(asked.map(([moment]) => moment));
  assert.equal(moments.size, 1);
  const [moment = ''] = moments;
  assert.ok(Math.abs(Date.now() - 30 * DAY_MS - Date.parse(moment)) < 600_000);
});

test('a file whose objects cannot be removed keeps its rows, blocks no other file, and fails the purge at the end', async () => {
  const [resisting, ...others] = files(3);
  assert.ok(resisting);
  const { activities, done } = recorder(
    [{ files: [resisting, ...others], after: cursor(randomUUID()) }, { files: files(2) }],
    [resisting],
  );
  await assert.rejects(purge(activities), (error) => {
    assert.ok(error instanceof WorkflowFailedError && error.cause instanceof ApplicationFailure);
    assert.equal(error.cause.type, 'PURGE_INCOMPLETE');
    assert.match(error.cause.message, /^1 files could not be purged, 4 were/);
    return true;
  });
  assert.deepEqual(done, [
    'vectors 3',
    'objects 3',
    'rows 2',
    'vectors 2',
    'objects 2',
    'rows 2',
    'failed uploads',
    'audit log',
  ]);
});

test('a long purge continues as a new run where it left off', async () => {
  const pages = Array.from({ length: 45 }, (_, index) => ({
    files: files(1),
    ...(index < 44 && { after: cursor(randomUUID()) }),
  }));
  const { activities, asked } = recorder(pages);
  assert.deepEqual(await purge(activities), { purged: 45 });
  assert.equal(asked.length, 45);
  assert.equal(new Set(asked.map(([moment]) => moment)).size, 1);
});
