import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { initialComponents } from '../../domain/components.ts';
import {
  BATCH_SESSION,
  type BatchSessionInput,
  type SessionFile,
  type SessionView,
} from '../../temporal/contract/batch-session.ts';
import { fileWorkflowId, sessionWorkflowId } from '../../temporal/contract/ids.ts';
import { PROCESS_FILE, type ProcessFileInput } from '../../temporal/contract/process-file.ts';
import { eventually } from '../support/api.ts';
import { startWorkflowEnv, type FakeActivities, type WorkflowEnv } from '../support/workflow-env.ts';

/** Who waits behind whom at a slow model. Two calls at a time, each of which ends when the test says so; counted, not timed. */
const SLOTS = 2;
const BULK = 40;
/** Of the bulk that may be served before others, whose turn it is: what was on its way to a worker already. */
const FEW = 6;

let house: WorkflowEnv;
before(async () => {
  house = await startWorkflowEnv();
});
after(() => house.close());

/** Files by session, and calls of the model by file, in the order in which they came. */
const sessions = new Map<string, SessionFile[]>();
const ended = new Set<string>();
const served: string[] = [];
const held = new Map<string, () => void>();

const activities: FakeActivities = {
  readUploadSession: ({ sessionId }: { sessionId: string }): SessionView => ({
    open: true,
    sealed: true,
    paused: false,
    files: unfinished(sessionId),
  }),
  closeUploadSession: ({ sessionId }: { sessionId: string }) => unfinished(sessionId).length === 0,
  beginFileWork: () => ({ seq: 1, visionProvider: 'test' }),
  projectFile: () => undefined,
  finishFileWork: ({ fileId }: { fileId: string }) => void ended.add(fileId),
  renderVariants: () => undefined,
  readText: () => undefined,
  describeImage: ({ fileId }: { fileId: string }) => {
    served.push(fileId);
    return new Promise<void>((resolve) => held.set(fileId, resolve));
  },
  indexImage: () => undefined,
};
const unfinished = (sessionId: string) =>
  (sessions.get(sessionId) ?? []).filter(({ fileId }) => !ended.has(fileId));

const handleOf = (fileId: string) => house.env.client.workflow.getHandle(fileWorkflowId(fileId));

/** Waits until a file waits for its turn at the model, or has it. */
const queued = (fileId: string) =>
  eventually(async () => {
    const { raw } = await handleOf(fileId).describe();
    assert.equal(raw.pendingActivities?.[0]?.activityType?.name, 'describeImage');
  });

/** Starts a batch and waits until all its files wait. */
async function batch(tenantId: string, count: number): Promise<string[]> {
  const input: BatchSessionInput = { sessionId: randomUUID(), tenantId, generation: 1 };
  const files = Array.from({ length: count }, (): SessionFile => ({ ...newFile(), generation: 1 }));
  sessions.set(input.sessionId, files);
  await house.env.client.workflow.start(BATCH_SESSION, {
    workflowId: sessionWorkflowId(input.sessionId),
    taskQueue: 'workflows',
    args: [input],
  });
  for (const { fileId } of files) await queued(fileId);
  return files.map(({ fileId }) => fileId);
}

async function single(tenantId: string): Promise<string> {
  const input: ProcessFileInput = { ...newFile(), tenantId, generation: 1, priority: 'normal' };
  await house.env.client.workflow.start(PROCESS_FILE, {
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

/** Lets one call after the other end until these files are at the model, and then theirs. */
async function answerUntil(wanted: readonly string[]): Promise<void> {
  while (!wanted.every((fileId) => served.includes(fileId))) {
    const [first = ''] = [...held.keys()];
    answer(first);
    await eventually(async () => assert.equal(held.size, SLOTS));
  }
  for (const fileId of held.keys()) if (wanted.includes(fileId)) answer(fileId);
}

function answer(fileId: string): void {
  held.get(fileId)?.();
  held.delete(fileId);
}

test('a batch at a slow model holds back neither single uploads nor the batch of another tenant', () =>
  house.withWorkers(
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

      // Until the last of them has ended, calls come as slots become free.
      await eventually(async () => {
        for (const fileId of held.keys()) answer(fileId);
        assert.ok(bulk.every((fileId) => ended.has(fileId)));
      });
    },
    { 'vision-test': SLOTS },
  ));
