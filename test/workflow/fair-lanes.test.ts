import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { initialComponents } from '../../domain/components.ts';
import type {
  UploadSessionInput,
  UploadSessionFile,
  UploadSessionView,
} from '../../temporal/contract/upload-session.ts';
import { fileWorkflowId, uploadSessionWorkflowId } from '../../temporal/contract/ids.ts';
import type { ProcessFileInput } from '../../temporal/contract/process-file.ts';
import { eventually } from '../support/api.ts';
import { startWorkflowEnv, type FakeActivities, type WorkflowEnv } from '../support/workflow-env.ts';

/** The order of calls to a slow model: two at a time, each ended by the test, so nothing depends on timing. */
const SLOTS = 2;
const BULK = 40;
/** Bulk calls that may still precede the others, because they had already been dispatched. */
const FEW = 6;

let testEnv: WorkflowEnv;
before(async () => {
  testEnv = await startWorkflowEnv();
});
after(() => testEnv.close());

/** Files by session, and model calls by file, in order of arrival. */
const sessions = new Map<string, UploadSessionFile[]>();
const ended = new Set<string>();
const served: string[] = [];
const pending = new Map<string, () => void>();

const activities: FakeActivities = {
  readUploadSession: ({ sessionId }: { sessionId: string }): UploadSessionView => ({
    open: true,
    sealed: true,
    paused: false,
    files: unfinished(sessionId),
  }),
  closeUploadSession: ({ sessionId }: { sessionId: string }) => unfinished(sessionId).length === 0,
  beginFileWork: () => ({ seq: 1, visionProvider: 'test' }),
  projectFile: () => undefined,
  finishFileWork: ({ fileId }: { fileId: string }) => void ended.add(fileId),
  makeImage: () => ({ ended: [] }),
  renderVariants: () => undefined,
  readText: () => undefined,
  describeImage: ({ fileId }: { fileId: string }) => {
    served.push(fileId);
    return new Promise<void>((resolve) => pending.set(fileId, resolve));
  },
  indexImage: () => undefined,
};
const unfinished = (sessionId: string) =>
  (sessions.get(sessionId) ?? []).filter(({ fileId }) => !ended.has(fileId));

const handleOf = (fileId: string) => testEnv.env.client.workflow.getHandle(fileWorkflowId(fileId));

/** Waits until a file's model call is scheduled or started. */
const queued = (fileId: string) =>
  eventually(async () => {
    const { raw } = await handleOf(fileId).describe();
    assert.equal(raw.pendingActivities?.[0]?.activityType?.name, 'describeImage');
  });

/** Starts a batch and waits until all its files are queued. */
async function batch(tenantId: string, count: number): Promise<string[]> {
  const input: UploadSessionInput = { sessionId: randomUUID(), tenantId, generation: 1 };
  const files = Array.from({ length: count }, (): UploadSessionFile => ({ ...newFile(), generation: 1 }));
  sessions.set(input.sessionId, files);
  await testEnv.env.client.workflow.start('uploadSession', {
    workflowId: uploadSessionWorkflowId(input.sessionId),
    taskQueue: 'workflows',
    args: [input],
  });
  for (const { fileId } of files) await queued(fileId);
  return files.map(({ fileId }) => fileId);
}

async function single(tenantId: string): Promise<string> {
  const input: ProcessFileInput = { ...newFile(), tenantId, generation: 1, priority: 'normal' };
  await testEnv.env.client.workflow.start('processFile', {
    workflowId: fileWorkflowId(input.fileId),
    taskQueue: 'workflows',
    args: [input],
  });
  await queued(input.fileId);
  return input.fileId;
}

const newFile = () => ({
  fileId: randomUUID(),
  mediaType: 'image' as const,
  components: initialComponents('image', { autoDescribe: true }),
});

/** Ends calls one by one until these files have been served, and then theirs. */
async function answerUntil(wanted: readonly string[]): Promise<void> {
  while (!wanted.every((fileId) => served.includes(fileId))) {
    const [first = ''] = [...pending.keys()];
    answer(first);
    await eventually(async () => assert.equal(pending.size, SLOTS));
  }
  for (const fileId of pending.keys()) if (wanted.includes(fileId)) answer(fileId);
}

function answer(fileId: string): void {
  pending.get(fileId)?.();
  pending.delete(fileId);
}

test('a batch at a slow model delays neither single uploads nor the batch of another tenant', () =>
  testEnv.withWorkers(
    activities,
    async () => {
      const [tenant, other] = [randomUUID(), randomUUID()];
      const bulk = await batch(tenant, BULK);
      const otherBulk = await batch(other, 4);
      const singles = [await single(tenant), await single(other)];
      const ofBulk = () => served.filter((fileId) => bulk.includes(fileId)).length;
      assert.deepEqual([served.length, ofBulk()], [SLOTS, SLOTS]);

      await answerUntil(singles);
      for (const fileId of singles)
        assert.deepEqual(await handleOf(fileId).result(), { outcome: 'completed' });
      assert.ok(ofBulk() <= FEW, `${ofBulk()} of the bulk were served`);

      await answerUntil(otherBulk);
      for (const fileId of otherBulk) await handleOf(fileId).result();
      assert.ok(ofBulk() <= 2 * FEW, `${ofBulk()} of the bulk were served`);

      // Further calls arrive as slots become free, until the last file has ended.
      await eventually(async () => {
        for (const fileId of pending.keys()) answer(fileId);
        assert.ok(bulk.every((fileId) => ended.has(fileId)));
      });
    },
    { 'vision-test': SLOTS },
  ));
