import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { initialComponents } from '../../domain/components.ts';
import { componentsOf } from '../../domain/pipelines/index.ts';
import {
  UPLOAD_SESSION_WORKFLOWS,
  type UploadSessionFile,
  type UploadSessionInput,
  type UploadSessionView,
} from '../../temporal/contract/upload-session.ts';
import { FILE_WORKFLOWS, type ProcessFileInput } from '../../temporal/contract/process-file.ts';
import { QUEUES } from '../../temporal/contract/queues.ts';
import { eventually } from '../support/api.ts';
import { startWorkflowEnv, type FakeActivities, type WorkflowEnv } from '../support/workflow-env.ts';

/**
 * The slow step of each medium and its queue: two slots, each released by the test, so nothing depends on
 * timing.
 */
const LANES = [
  { mediaType: 'image', step: 'describeImage', queue: 'vision-test', what: 'a slow model' },
  { mediaType: 'video', step: 'probeVideo', queue: QUEUES.video, what: 'the video decoder' },
  { mediaType: 'link', step: 'crawlPage', queue: QUEUES.web, what: 'a slow site' },
] as const;
const SLOTS = 2;
const BULK = 24;
/** Bulk calls that may still precede the others, because they were already dispatched. */
const FEW = 6;

let testEnv: WorkflowEnv;
before(async () => {
  testEnv = await startWorkflowEnv({ slots: Object.fromEntries(LANES.map(({ queue }) => [queue, SLOTS])) });
});
after(() => testEnv.close());

/** Files by session, and slow steps by file, in order of arrival. */
const sessions = new Map<string, UploadSessionFile[]>();
const ended = new Set<string>();
const served: string[] = [];
const pending = new Map<string, () => void>();

const activities: FakeActivities & Record<string, (given: never) => unknown> = {
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
};
for (const { mediaType, step: slow } of LANES) {
  const steps = componentsOf(mediaType).flatMap((component) => component.steps.map((step) => step.activity));
  for (const step of steps) activities[step] = () => undefined;
  activities[slow] = ({ fileId }: { fileId: string }) => {
    served.push(fileId);
    return new Promise<void>((resolve) => pending.set(fileId, resolve));
  };
}
const unfinished = (sessionId: string) =>
  (sessions.get(sessionId) ?? []).filter(({ fileId }) => !ended.has(fileId));

const handleOf = (fileId: string) => testEnv.env.client.workflow.getHandle(FILE_WORKFLOWS.of(fileId));

type Lane = (typeof LANES)[number];

/** Waits until the slow step of a file is scheduled or started. */
const queued = (fileId: string, { step }: Lane) =>
  eventually(async () => {
    const { raw } = await handleOf(fileId).describe();
    assert.equal(raw.pendingActivities?.[0]?.activityType?.name, step);
  });

/** Starts a batch and waits until all its files are queued. */
async function batch(tenantId: string, count: number, lane: Lane): Promise<string[]> {
  const input: UploadSessionInput = { sessionId: randomUUID(), tenantId, generation: 1 };
  const files = Array.from({ length: count }, (): UploadSessionFile => ({
    ...newFile(lane),
    generation: 1,
  }));
  sessions.set(input.sessionId, files);
  await testEnv.env.client.workflow.start('uploadSession', {
    workflowId: UPLOAD_SESSION_WORKFLOWS.of(input.sessionId),
    taskQueue: 'workflows',
    args: [input],
  });
  for (const { fileId } of files) await queued(fileId, lane);
  return files.map(({ fileId }) => fileId);
}

async function single(tenantId: string, lane: Pick<Lane, 'mediaType'>): Promise<string> {
  const input: ProcessFileInput = { ...newFile(lane), tenantId, generation: 1, priority: 'normal' };
  await testEnv.env.client.workflow.start('processFile', {
    workflowId: FILE_WORKFLOWS.of(input.fileId),
    taskQueue: 'workflows',
    args: [input],
  });
  return input.fileId;
}

const newFile = ({ mediaType }: Pick<Lane, 'mediaType'>) => ({
  fileId: randomUUID(),
  mediaType,
  components: initialComponents(mediaType, { autoDescribe: true }),
});

/** Ends calls one by one until the slow steps of these files have all been called, then ends those. */
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

for (const lane of LANES) {
  const { mediaType, what } = lane;
  test(`a batch of ${mediaType}s at ${what} delays neither single uploads nor the batch of another tenant`, () =>
    testEnv.withWorkers(activities, async () => {
      served.length = 0;
      const [tenant, other] = [randomUUID(), randomUUID()];
      const bulk = await batch(tenant, BULK, lane);
      const otherBulk = await batch(other, 4, lane);
      const singles = [await single(tenant, lane), await single(other, lane)];
      for (const fileId of singles) await queued(fileId, lane);
      const ofBulk = () => served.filter((fileId) => bulk.includes(fileId)).length;
      assert.deepEqual([served.length, ofBulk()], [SLOTS, SLOTS]);
      if (mediaType !== 'image') await otherMediaPass(tenant);

      await answerUntil(singles);
      assert.ok(ofBulk() <= FEW, `${ofBulk()} files of the bulk were served`);
      await answerUntil(otherBulk);
      assert.ok(ofBulk() <= 2 * FEW, `${ofBulk()} files of the bulk were served`);

      // More calls arrive as slots become free, until the last file has ended.
      await eventually(async () => {
        for (const fileId of pending.keys()) answer(fileId);
        assert.ok([...bulk, ...otherBulk, ...singles].every((fileId) => ended.has(fileId)));
      });
      for (const fileId of singles)
        assert.deepEqual(await handleOf(fileId).result(), { outcome: 'completed' });
    }));
}

/** Asserts that an image of the same tenant passes its own slow step while this lane has no free slot. */
async function otherMediaPass(tenant: string): Promise<void> {
  const image = await single(tenant, { mediaType: 'image' });
  await eventually(() => Promise.resolve(assert.ok(pending.has(image))));
  answer(image);
  assert.deepEqual(await handleOf(image).result(), { outcome: 'completed' });
}
