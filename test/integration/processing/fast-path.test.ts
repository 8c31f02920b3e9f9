import { ownerOf } from '../../support/principals.ts';
import { CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { createDocumentActivities } from '../../../activities/document-activities.ts';
import type { FastPathInput } from '../../../activities/fast-path.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { createImageActivities } from '../../../activities/image-activities.ts';
import { createLocalVision } from '../../../adapters/models/vision/local-vision.ts';
import type { VisionModel } from '../../../adapters/models/vision/vision-model.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import { DocumentChunk } from '../../../db/entities/documents/document-chunk.ts';
import { DocumentPage } from '../../../db/entities/documents/document-page.ts';
import { FileTimeline } from '../../../db/entities/processing/file-timeline.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { UploadSession } from '../../../db/entities/upload-sessions/upload-session.ts';
import type { FastPathResult } from '../../../domain/fast-path.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import type { Principal } from '../../../services/accounts/principal.ts';
import { CHECK_EVERY_MS } from '../../../services/processing/fast-path.ts';
import { beginFileWork } from '../../../services/processing/start-file-work.ts';
import { ingestFile } from '../../../services/uploads/ingest-file.ts';
import { openUploadSession } from '../../../services/upload-sessions/open-upload-session.ts';
import { openWorkerDeps, type WorkerDeps } from '../../../worker/deps.ts';
import { book, manual } from '../../support/documents.ts';
import { incomingImage } from '../../support/ingest-image.ts';
import { demoImage } from '../../support/images.ts';
import { storedFacts } from '../../support/stored-facts.ts';
import { WORKER_SETTINGS } from '../../../worker/settings.ts';

/** The activities of fast paths, on real servers, interrupted between and within their steps. */
const { deps, close } = await openWorkerDeps(readConfig(WORKER_SETTINGS, process.env));
const { orm } = deps;
after(close);

const ALL = ['renderVariants', 'readText', 'describeImage', 'indexImage'];
const image = demoImage('chelsea.jpg');
const em = () => orm.em.fork();
const row = (id: string) => em().findOneOrFail(StoredFile, id);

const IMAGE = { mediaType: 'image', contentType: 'image/jpeg', format: 'jpeg' } as const;
const MARKDOWN = { mediaType: 'document', contentType: 'text/markdown', format: 'md' } as const;
const PDF = { mediaType: 'document', contentType: 'application/pdf', format: 'pdf' } as const;

/** A stored file whose run has begun. */
async function begun({
  bytes = image,
  type = IMAGE,
  inSession = false,
}: { bytes?: Uint8Array; type?: typeof IMAGE | typeof MARKDOWN | typeof PDF; inSession?: boolean } = {}) {
  const tenantId = randomUUID();
  await em().insert(Tenant, { id: tenantId, name: 'fast path', tier: 'enterprise', createdAt: new Date() });
  const sessionId = randomUUID();
  const principal: Principal = ownerOf(tenantId);
  if (inSession) await openUploadSession(em(), principal, { sessionId, uploadMethod: 'streaming' });
  const incoming = incomingImage({ ...type, ...(inSession && { session: { sessionId, index: 0 } }) });
  const outcome = await ingestFile(em(), { tenantId, tier: 'enterprise' }, incoming);
  assert.ok('created' in outcome);
  const file = outcome.created;
  await deps.objects.put(file.objectKey, bytes, { contentType: type.contentType });
  const runId = randomUUID();
  const target = { fileId: file.id, tenantId, generation: 1 };
  const work = await beginFileWork(em(), { ...target, components: file.components }, runId);
  assert.ok(work);
  return { ...target, sessionId, runId, seq: work.seq };
}
type Begun = Awaited<ReturnType<typeof begun>>;

interface AttemptOptions {
  attempt?: number;
  cancelled?: Promise<void>;
}

/** Runs one attempt with the dependencies of a worker, some of them replaced. */
async function makeImage(
  file: Begun,
  replaced: Partial<WorkerDeps & { vision: VisionModel }> = {},
  options: AttemptOptions = {},
) {
  const vision = createLocalVision(deps.text);
  return make(createImageActivities({ ...deps, vision, ...replaced }).makeImage, file, options);
}

const makeDocument = (file: Begun, options: AttemptOptions = {}) =>
  make(createDocumentActivities(deps).makeDocument, file, options);

async function make(
  activity: (input: FastPathInput) => Promise<FastPathResult>,
  { fileId, tenantId, generation, seq, runId }: Begun,
  { attempt = 1, cancelled }: AttemptOptions,
) {
  const env = new MockActivityEnvironment({
    attempt,
    workflowExecution: { workflowId: `file/${fileId}`, runId },
    startToCloseTimeoutMs: 60_000,
  });
  void cancelled?.then(() => env.cancel());
  const target = { fileId, tenantId, generation, seq };
  const input = { ...target, visionProvider: 'local', runStartedAt: new Date().toISOString() };
  const { ended } = await env.run<[], FastPathResult, () => Promise<FastPathResult>>(() => activity(input));
  return ended.map(({ step, error }) => (error ? `${step}: ${error.code}` : step));
}

/** Replaces the recogniser by one that runs a callback while it detects text. */
const duringText = (happens: () => Promise<void>): Partial<WorkerDeps> => ({
  recogniser: {
    ...deps.recogniser,
    async hasText(image, options) {
      await happens();
      return deps.recogniser.hasText(image, options);
    },
  },
});

async function statusesOf(id: string) {
  const { components, primaryStatus } = await row(id);
  return [primaryStatus, components.variant?.status, components.description?.status];
}

const vectorsOf = ({ tenantId, fileId }: Begun) => deps.vectors.count({ tenantId, fileIds: [fileId] });

test('a photograph is completed in one transaction, with its timeline and settled credits', async () => {
  const file = await begun();
  assert.deepEqual(await makeImage(file), ALL);
  assert.deepEqual(await statusesOf(file.fileId), ['completed', 'completed', 'completed']);
  const { seq, visibleText, uploadDescription, tags } = await row(file.fileId);
  assert.equal(seq, file.seq + 1);
  assert.equal(visibleText, null);
  assert.ok(uploadDescription && tags.length > 0);
  assert.deepEqual(await storedFacts(em(), file.fileId), {
    variants: 4,
    descriptions: 1,
    credits: ['reserve 1', 'spend 1'],
    timelines: 1,
  });
  const { run } = await em().findOneOrFail(FileTimeline, { fileId: file.fileId });
  assert.equal(run.outcome, 'completed');
  assert.deepEqual(
    run.steps.map(({ step, outcome, attempt }) => [step, outcome, attempt]),
    ALL.map((step) => [step, 'completed', 1]),
  );
  assert.equal(await vectorsOf(file), 1);
});

test('a second attempt returns the results that the first has recorded, and repeats no step', async () => {
  const file = await begun();
  const nothing = { decoder: undefined as unknown as WorkerDeps['decoder'] };
  assert.deepEqual(await makeImage(file), ALL);
  assert.deepEqual(await makeImage(file, nothing, { attempt: 2 }), ALL);
  assert.equal((await storedFacts(em(), file.fileId)).timelines, 1);
  const nothingYet = await begun();
  assert.deepEqual(await makeImage(nothingYet, nothing, { attempt: 2 }), []);
});

test('an attempt that was presumed lost but is still running records nothing', async () => {
  const file = await begun();
  const replacedMeanwhile = duringText(async () => {
    assert.deepEqual(await makeImage(file, {}, { attempt: 2 }), []);
  });
  assert.deepEqual(await makeImage(file, replacedMeanwhile), []);
  assert.deepEqual(await statusesOf(file.fileId), ['pending', 'pending', 'pending']);
  assert.equal((await storedFacts(em(), file.fileId)).timelines, 0);
});

test('an attempt that is reset after it was recorded returns the same results', async () => {
  const file = await begun();
  assert.deepEqual(await makeImage(file), ALL);
  assert.deepEqual(await makeImage(file), ALL);
});

test('a second attempt repeats the steps of a component that the first one left unfinished', async () => {
  const file = await begun();
  const remote = { vision: { ...createLocalVision(deps.text), inProcess: false } };
  assert.deepEqual(await makeImage(file, remote), ['renderVariants', 'readText']);
  assert.deepEqual(await makeImage(file, {}, { attempt: 2 }), ['renderVariants']);
});

test('a remote model and the model of another worker are left to their queue', async () => {
  for (const vision of [
    { ...createLocalVision(deps.text), inProcess: false },
    { ...createLocalVision(deps.text), provider: 'other' },
  ]) {
    const file = await begun();
    assert.deepEqual(await makeImage(file, { vision }), ['renderVariants', 'readText']);
    assert.deepEqual(await statusesOf(file.fileId), ['processing', 'completed', 'processing']);
    assert.equal((await storedFacts(em(), file.fileId)).timelines, 0);
  }
});

test('an image with text is left to the recogniser after its variants', async () => {
  const file = await begun();
  const found = { recogniser: { ...deps.recogniser, hasText: async () => true } };
  assert.deepEqual(await makeImage(file, found), ['renderVariants']);
  assert.deepEqual(await statusesOf(file.fileId), ['processing', 'completed', 'processing']);
});

test('a damaged image fails immediately, and its credits are refunded', async () => {
  const file = await begun({ bytes: image.subarray(0, 2000) });
  assert.deepEqual(await makeImage(file), ['renderVariants: IMAGE_UNREADABLE']);
  assert.deepEqual(await statusesOf(file.fileId), ['failed', 'failed', 'skipped']);
  const { credits, timelines } = await storedFacts(em(), file.fileId);
  assert.deepEqual({ credits, timelines }, { credits: ['reserve 1', 'refund 1'], timelines: 1 });
});

test('a step with a temporary failure is left to its own activity, and the results before it are kept', async () => {
  const file = await begun();
  const away = {
    ...deps.vectors,
    upsert: () => Promise.reject(new Error('the index is away')),
  };
  assert.deepEqual(await makeImage(file, { vectors: away }), ALL.slice(0, 3));
  assert.deepEqual(await statusesOf(file.fileId), ['processing', 'completed', 'processing']);
  assert.equal((await storedFacts(em(), file.fileId)).descriptions, 1);
});

test('a session that is paused or cancelled during processing stops the file before its next step', async () => {
  const changes = {
    paused: () => ({ pausedAt: new Date() }),
    cancelled: () => ({ status: 'cancelled' as const, completedAt: new Date(Date.now() + 1000) }),
  };
  for (const [how, change] of Object.entries(changes)) {
    const file = await begun({ inSession: true });
    const stop = duringText(async () => {
      await em().nativeUpdate(UploadSession, { id: file.sessionId }, change());
      await delay(CHECK_EVERY_MS);
    });
    assert.deepEqual(await makeImage(file, stop), ['renderVariants', 'readText'], how);
    assert.deepEqual(await statusesOf(file.fileId), ['processing', 'completed', 'processing'], how);
    assert.equal(await vectorsOf(file), 0, how);
  }
});

test('a session that is paused before the start leaves the file untouched', async () => {
  const file = await begun({ inSession: true });
  await em().nativeUpdate(UploadSession, { id: file.sessionId }, { pausedAt: new Date() });
  assert.deepEqual(await makeImage(file), []);
  assert.deepEqual(await statusesOf(file.fileId), ['pending', 'pending', 'pending']);
});

const softDelete = async ({ fileId }: Begun) =>
  void (await em().nativeUpdate(StoredFile, { id: fileId }, { deletedAt: new Date() }));

test('a file that is deleted during processing gets no rows', async () => {
  const file = await begun();
  assert.deepEqual(
    await makeImage(
      file,
      duringText(() => softDelete(file)),
    ),
    [],
  );
  const { variants, descriptions, timelines } = await storedFacts(em(), file.fileId);
  assert.deepEqual({ variants, descriptions, timelines }, { variants: 0, descriptions: 0, timelines: 0 });
});

test('a file that is deleted after its vector was written leaves no vector', async () => {
  const file = await begun();
  const vectors = {
    ...deps.vectors,
    async upsert(points: Parameters<typeof deps.vectors.upsert>[0]) {
      await deps.vectors.upsert(points);
      assert.equal(await vectorsOf(file), 1);
      await softDelete(file);
    },
  };
  assert.deepEqual(await makeImage(file, { vectors }), []);
  assert.equal(await vectorsOf(file), 0);
});

test('a run that was replaced or closed during processing writes nothing', async () => {
  for (const change of [{ runId: randomUUID() }, { generation: 2 }, { seq: 1000 }]) {
    const file = await begun();
    const taken = duringText(async () => {
      await em().nativeUpdate(StoredFile, { id: file.fileId }, change);
    });
    assert.deepEqual(await makeImage(file, taken), []);
    assert.equal((await row(file.fileId)).components.variant?.status, 'pending');
  }
});

test('tags that its owner adds during processing are kept', async () => {
  const file = await begun();
  const tagged = duringText(async () => {
    await em().nativeUpdate(StoredFile, { id: file.fileId }, { tags: ['mine'] });
  });
  assert.deepEqual(await makeImage(file, tagged), ALL);
  const { tags } = await row(file.fileId);
  assert.equal(tags[0], 'mine');
  assert.ok(tags.length > 1);
});

test('a cancellation keeps the ended steps; before the first one ends, it cancels the activity', async () => {
  const { promise: cancelled, resolve } = Promise.withResolvers<void>();
  const file = await begun();
  const stop = duringText(async () => resolve());
  assert.deepEqual(await makeImage(file, stop, { cancelled }), ['renderVariants']);
  const early = await begun();
  await assert.rejects(makeImage(early, {}, { cancelled: Promise.resolve() }), CancelledFailure);
});

const DOCUMENT_STEPS = ['inspectDocument', 'digitizeDocument', 'chunkDocument'];

async function documentOf({ fileId }: Begun) {
  const { components } = await row(fileId);
  const [read, chunks] = await Promise.all([
    em().count(DocumentPage, { fileId, status: 'completed' }),
    em().count(DocumentChunk, { fileId }),
  ]);
  const { text_extraction: text, digitization } = components;
  return [text?.status, digitization?.status, read, chunks > 0];
}

test('a short document is read and divided at once, and its embeddings are left to their queue', async () => {
  const file = await begun({ bytes: manual, type: MARKDOWN });
  assert.deepEqual(await makeDocument(file), DOCUMENT_STEPS);
  assert.deepEqual(await documentOf(file), ['completed', 'processing', 1, true]);
  assert.equal((await storedFacts(em(), file.fileId)).timelines, 0);
  // The component in progress is repeated from its first step.
  assert.deepEqual(await makeDocument(file, { attempt: 2 }), DOCUMENT_STEPS.slice(0, 2));
});

test('the pages of a long document are left to the workflow', async () => {
  const long = await begun({ bytes: book(41), type: PDF });
  assert.deepEqual(await makeDocument(long), ['inspectDocument']);
  assert.deepEqual(await documentOf(long), ['processing', 'pending', 0, false]);
});

test('a document that cannot be opened fails immediately, and its credits are refunded', async () => {
  const file = await begun({ bytes: Buffer.from('%PDF-1.7 and nothing else'), type: PDF });
  assert.deepEqual(await makeDocument(file), ['inspectDocument: DOCUMENT_DAMAGED']);
  const [text, digitization] = await documentOf(file);
  assert.deepEqual([text, digitization], ['failed', 'skipped']);
  const { credits, timelines } = await storedFacts(em(), file.fileId);
  assert.deepEqual({ credits, timelines }, { credits: ['reserve 2', 'refund 2'], timelines: 1 });
});
