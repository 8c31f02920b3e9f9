import {
  createLocalEmbedding,
  LOCAL_IMAGE_MODEL,
} from '../../../adapters/models/image-embedding/local-embedding.ts';
import { imageCollection } from '../../../services/images/served-images.ts';
import { ownerOf } from '../../support/principals.ts';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { createTextWork } from '../../../engines/text-work/text-work.ts';
import { createLocalVision } from '../../../adapters/models/vision/local-vision.ts';
import type { VisionModel } from '../../../adapters/models/vision/vision-model.ts';
import { chooseFrom } from '../../../adapters/models/vision/vision-models.ts';
import { vectorConfig } from '../../../adapters/vector-index/config.ts';
import { createVectorIndex } from '../../../adapters/vector-index/create-vector-index.ts';
import type { VectorIndex } from '../../../adapters/vector-index/vector-index.ts';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm, type Orm } from '../../../db/create-orm.ts';
import { CreditBalance } from '../../../db/entities/accounts/credit-balance.ts';
import { CreditEntry } from '../../../db/entities/accounts/credit-entry.ts';
import { FileDescription } from '../../../db/entities/files/file-description.ts';
import { ImageDetails } from '../../../db/entities/files/image-details.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import { UploadSession } from '../../../db/entities/upload-sessions/upload-session.ts';
import { isBusy } from '../../../domain/trash/trash.ts';
import { entries, type Components } from '../../../domain/components.ts';
import { NO_TOKENS } from '../../../domain/token-usage.ts';
import { creditMonth, reservationId } from '../../../domain/accounts/credits.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { beginFileWork } from '../../../services/processing/start-file-work.ts';
import { createFolder } from '../../../services/files/folders/folders.ts';
import { deleteFile, deleteFiles } from '../../../services/trash/delete-files.ts';
import { deleteFolder } from '../../../services/trash/delete-folder.ts';
import { openUploadSession } from '../../../services/upload-sessions/open-upload-session.ts';
import { describeImage } from '../../../services/images/describe-image.ts';
import { ingestFile } from '../../../services/uploads/ingest-file.ts';
import { pointId, syncImage } from '../../../services/images/index-images.ts';
import { projectFile } from '../../../services/processing/end-file-run.ts';
import type { Principal } from '../../../services/accounts/principal.ts';
import { restoreFile } from '../../../services/trash/restore-file.ts';
import { retryFile } from '../../../services/processing/retry-file.ts';
import { reconcileFile } from '../../../services/processing/reconcile-file.ts';
import { dispatchPending } from '../../../services/recovery/sweeps.ts';
import { createEngine, type Engine } from '../../../temporal/client.ts';
import type { processFile } from '../../../workflows/process-file/process-file.ts';
import { temporalConfig } from '../../../temporal/config.ts';
import { startWorkflow } from '../../../temporal/start-workflow.ts';
import { isHalted } from '../../../temporal/status/is-halted.ts';
import { createLastSeenOf } from '../../../temporal/status/task-queues.ts';
import { describeRun } from '../../../temporal/status/describe-run.ts';
import { fetchFoldedRun } from '../../../temporal/status/fetch-history.ts';
import { createClient, eventually, sharedRun } from '../../support/api.ts';
import { FILE_WORKFLOWS } from '../../../temporal/contract/process-file.ts';

/** Deletion and restore during processing, on the servers of the shared stack. */
let orm: Orm;
let engine: Engine;
let unreachable: Engine;
let vectors: VectorIndex;
const client = createClient(sharedRun());

before(() => {
  orm = createOrm(readConfig([databaseConfig], process.env));
  const config = readConfig([temporalConfig], process.env);
  engine = createEngine(config);
  unreachable = createEngine({ ...config, TEMPORAL_ADDRESS: '127.0.0.1:1' });
  vectors = createVectorIndex(readConfig([vectorConfig], process.env), imageCollection(LOCAL_IMAGE_MODEL));
});
after(async () => {
  await vectors.close();
  await unreachable.close();
  await engine.close();
  await orm.close(true);
});

const em = () => orm.em.fork();
const rowOf = (id: string) => em().findOneOrFail(StoredFile, { id });

/** Kinds of the credit ledger's entries, by generation. */
async function ledger(fileId: string, generation: number): Promise<string[]> {
  const found = await em().find(
    CreditEntry,
    { reservationId: reservationId(fileId, generation) },
    { orderBy: { closes: 'asc' } },
  );
  return found.map(({ kind }) => kind);
}

const isIndexed = async ({ id, tenantId }: StoredFile) =>
  (await vectors.find({ tenantId, id: pointId(id, LOCAL_IMAGE_MODEL.model) })) !== undefined;

/** A file whose processing was never started. */
async function untouched(tier: 'starter' | 'enterprise' = 'enterprise', sha256 = '0'.repeat(64)) {
  const tenantId = randomUUID();
  await em().insert(Tenant, { id: tenantId, name: 'trash', tier, createdAt: new Date() });
  const principal: Principal = ownerOf(tenantId, tier);
  const fileId = randomUUID();
  const outcome = await ingestFile(em(), principal, {
    fileId,
    objectKey: fileId,
    sizeBytes: 1,
    sha256,
    mediaType: 'image',
    contentType: 'image/png',
    format: 'png',
    filename: 'x.png',
    title: null,
    tags: ['own'],
    contentCategory: 'general',
    options: { autoDescribe: true, skipDuplicates: false },
  });
  assert.ok('created' in outcome);
  return { principal, tenantId, fileId, file: outcome.created };
}

test('concurrent deletes, restores and retries of one file end in a consistent state', async () => {
  const bytes = await sharp({ create: { width: 90, height: 60, channels: 3, background: '#a1b2c3' } })
    .png()
    .toBuffer();
  const id = await client.ingest({ bytes });
  await client.settled(id);
  const asks = [
    () => client.delete(`/files/${id}`),
    () => client.post(`/files/${id}/restore`, {}),
    () => client.post(`/files/${id}/retry`, { components: ['description'] }),
    () => client.post('/files/batch-delete', { file_ids: [id] }),
    () => client.post(`/files/${id}/retry`, {}),
    () => client.patch(`/files/${id}`, { title: 'storm' }),
  ];
  for (let round = 0; round < 4; round++) {
    const answers = await Promise.all(
      Array.from({ length: 3 }, (_, i) => [...asks.slice(round + i), ...asks.slice(0, round + i)])
        .flat()
        .map((ask) => ask()),
    );
    const statuses = answers.map(({ status }) => status);
    assert.ok(
      statuses.every((status) => [200, 202, 404, 409].includes(status)),
      statuses.join(),
    );
  }

  assert.equal((await client.post(`/files/${id}/restore`, {})).status, 200);
  const file = await client.settled(id, 90);
  assert.equal(file.primary_status, 'completed', JSON.stringify(file));
  const row = await rowOf(id);
  for (let generation = 1; generation <= row.generation; generation++) {
    const kinds = await ledger(id, generation);
    assert.ok(
      kinds.length === 0 || (kinds.length === 2 && kinds[0] === 'reserve'),
      `${generation}: ${kinds.join()}`,
    );
  }
  assert.deepEqual((await ledger(id, row.generation)).at(-1), 'spend');
  const run = await describeRun(engine, id, 5000);
  assert.ok(run);
  const { outcome } = await engine.client.workflow
    .getHandle<typeof processFile>(FILE_WORKFLOWS.of(id), run.runId)
    .result();
  // The last run may be a late start of an ended generation, which detects that and changes nothing.
  if (outcome !== 'superseded') {
    assert.equal(run.generation, row.generation);
    const { components } = await fetchFoldedRun(engine, id, run.runId, 5000);
    const statuses = (of: Components) =>
      Object.fromEntries(entries(of).map(([name, { status }]) => [name, status]));
    assert.deepEqual(statuses(components), statuses(row.components));
  }
  await eventually(async () => {
    assert.equal((await rowOf(id)).engineDueAt, null);
    assert.equal(await isIndexed(row), true);
  });
});

test('a deletion works without the engine: the row is closed, the credit refunded, and the index follows later', async () => {
  const { principal, tenantId, fileId, file } = await untouched();
  await em().nativeUpdate(StoredFile, { id: fileId }, { describedAt: new Date(), uploadDescription: 'x' });
  const vector = Array.from({ length: LOCAL_IMAGE_MODEL.dimension }, () => 0.5);
  const point = { id: pointId(fileId, LOCAL_IMAGE_MODEL.model), tenantId, fileId, kind: 'image', vector };
  await vectors.upsert([point]);

  await deleteFile({ em: em(), engine: unreachable }, tenantId, fileId);
  const row = await rowOf(fileId);
  assert.ok(row.deletedAt && row.engineDueAt);
  assert.equal(row.primaryStatus, 'failed');
  assert.deepEqual(await ledger(fileId, 1), ['reserve', 'refund']);
  const again = await deleteFiles({ em: em(), engine: unreachable }, tenantId, [fileId]);
  assert.deepEqual(again, [
    { id: fileId, outcome: 'deleted_before', deletedAt: row.deletedAt, purgeAt: row.purgeAt },
  ]);

  assert.equal(await isIndexed(file), true);
  await em().nativeUpdate(StoredFile, { id: fileId }, { engineDueAt: new Date(Date.now() - 60_000) });
  assert.ok((await dispatchPending({ em: em(), engine }, 30)) >= 1);
  await eventually(async () => {
    // As the next sweep does: a row that was marked again while its entry was removed is still due.
    const own = em();
    await reconcileFile({ em: own, engine }, await own.findOneOrFail(StoredFile, { id: fileId }), 5_000);
    assert.equal((await rowOf(fileId)).engineDueAt, null);
    assert.equal(await isIndexed(file), false);
  });

  const { resumed } = await restoreFile(em(), principal, row);
  assert.deepEqual(resumed, ['variant', 'description']);
  const restored = await rowOf(fileId);
  assert.deepEqual(
    [restored.deletedAt, restored.generation, restored.seq, restored.workflowStartedAt],
    [null, 2, 0, null],
  );
  await em().nativeUpdate(StoredFile, { id: fileId }, { deletedAt: new Date() });
});

test('a late write reopens neither a deleted file nor a generation superseded by a restore', async () => {
  const { principal, tenantId, fileId, file } = await untouched();
  const late = { fileId, tenantId, generation: 1, components: file.components };
  await deleteFile({ em: em(), engine: unreachable }, tenantId, fileId);
  const trashed = await rowOf(fileId);
  assert.equal(await beginFileWork(em(), late, randomUUID()), undefined);
  assert.equal(await projectFile(em(), { ...late, seq: 1000 }), false);
  await assert.rejects(retryFile(em(), principal, await rowOf(fileId)), { code: 'WORK_IN_PROGRESS' });
  assert.deepEqual(await rowOf(fileId), trashed);

  await restoreFile(em(), principal, trashed);
  const restored = await rowOf(fileId);
  assert.equal(await beginFileWork(em(), late, randomUUID()), undefined);
  assert.equal(await projectFile(em(), { ...late, seq: 1000 }), false);
  assert.deepEqual(await rowOf(fileId), restored);
  await em().nativeUpdate(StoredFile, { id: fileId }, { deletedAt: new Date() });
});

test('an index entry that is removed while its file is restored is added again', async () => {
  const { principal, tenantId, fileId, file } = await untouched();
  await em().nativeUpdate(StoredFile, { id: fileId }, { describedAt: new Date() });
  await deleteFile({ em: em(), engine: unreachable }, tenantId, fileId);
  const calls: string[] = [];
  const slow = {
    count: async () => 0,
    async remove() {
      calls.push('remove');
      await restoreFile(em(), principal, file);
    },
    async upsert() {
      calls.push('upsert');
    },
  } as unknown as VectorIndex;
  const { signal } = new AbortController();
  const deps = { em: em(), embedding: createLocalEmbedding(), vectors: slow } as unknown as Parameters<
    typeof syncImage
  >[0];
  await syncImage(deps, fileId, signal);
  assert.deepEqual(calls, ['remove', 'upsert']);
  await syncImage(deps, fileId, signal);
  assert.deepEqual(calls, ['remove', 'upsert', 'upsert'], 'a second sync replaces the entry');
  await em().nativeUpdate(StoredFile, { id: fileId }, { deletedAt: new Date() });
});

/** A model with a fixed reply and a callback during the call. */
function model(meanwhile: () => Promise<unknown>): VisionModel {
  return {
    provider: 'test',
    model: 'test',
    async describe() {
      await meanwhile();
      return {
        description: 'said late',
        tags: ['late'],
        usage: NO_TOKENS,
        promptVersion: 'test',
      };
    },
  } as unknown as VisionModel;
}
async function describeWhile(fileId: string, tenantId: string, meanwhile: () => Promise<unknown>) {
  const imageFacts = {} as ImageDetails['imageFacts'];
  const details = { width: 1, height: 1, blurHash: '', imageFacts, textRegions: null };
  await em().insert(ImageDetails, { fileId, ...details });
  const objects = {} as Parameters<typeof describeImage>[0]['objects'];
  const target = { fileId, tenantId, generation: 1 };
  const models = chooseFrom([model(meanwhile)], createLocalVision(createTextWork({ slots: 1 })));
  await describeImage({ em: em(), objects, models, provider: 'test' }, target, new AbortController());
}

test('a description that arrives after the deletion is dropped, even after a restore', async () => {
  for (const alsoRestore of [false, true]) {
    const { principal, tenantId, fileId, file } = await untouched();
    await describeWhile(fileId, tenantId, async () => {
      await deleteFile({ em: em(), engine: unreachable }, tenantId, fileId);
      if (alsoRestore) await restoreFile(em(), principal, file);
    });
    const row = await rowOf(fileId);
    assert.deepEqual([row.uploadDescription, row.describedAt, row.tags], [null, null, ['own']]);
    assert.equal(await em().count(FileDescription, { fileId }), 0);
    await em().nativeUpdate(StoredFile, { id: fileId }, { deletedAt: new Date() });
  }
});

test('tags that were changed during the model call keep their change', async () => {
  const { tenantId, fileId } = await untouched();
  await describeWhile(fileId, tenantId, () =>
    em().nativeUpdate(StoredFile, { id: fileId }, { tags: ['changed'] }),
  );
  assert.deepEqual((await rowOf(fileId)).tags, ['changed', 'late']);
  await em().nativeUpdate(StoredFile, { id: fileId }, { deletedAt: new Date() });
});

test('a file is restored without credits, and reports the components that wait for credits', async () => {
  const { principal, tenantId, fileId, file } = await untouched('starter');
  await deleteFile({ em: em(), engine: unreachable }, tenantId, fileId);
  const balance = { tenantId, month: creditMonth(new Date()) };
  assert.equal((await em().findOneOrFail(CreditBalance, balance)).used, 0);
  await em().nativeUpdate(CreditBalance, balance, { used: 1000 });
  const { resumed, unpaid, restored } = await restoreFile(em(), principal, file);
  assert.deepEqual([restored, resumed, unpaid], [true, ['variant'], ['description']]);
  const row = await rowOf(fileId);
  assert.equal(row.deletedAt, null);
  assert.equal(row.components.description?.cause, 'cancelled');
  assert.deepEqual(row.components.description?.error, {
    code: 'QUOTA_EXHAUSTED',
    message: '1 credit needed, 0 of 1000 left this month (1 short)',
  });
  assert.deepEqual([row.generation, row.retries], [2, 0]);
  assert.deepEqual(await ledger(fileId, 2), []);
  assert.equal((await em().findOneOrFail(CreditBalance, balance)).used, 1000);
  await em().nativeUpdate(StoredFile, { id: fileId }, { deletedAt: new Date() });
});

test('after thirty days a file can no longer be restored', async () => {
  const { principal, tenantId, fileId, file } = await untouched();
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
  await em().nativeUpdate(StoredFile, { id: fileId }, { deletedAt: daysAgo(30) });
  await assert.rejects(restoreFile(em(), principal, file), { code: 'NOT_FOUND' });
  await em().nativeUpdate(StoredFile, { id: fileId }, { deletedAt: daysAgo(29.99) });
  assert.equal((await restoreFile(em(), principal, file)).restored, true);
  await deleteFile({ em: em(), engine: unreachable }, tenantId, fileId);
});

/** A document in a paused session, whose run has started and waits. */
async function pausedDocument(tenantId: string, folderId: string | null = null): Promise<StoredFile> {
  const principal = ownerOf(tenantId);
  const [fileId, sessionId] = [randomUUID(), randomUUID()];
  const session = await openUploadSession(em(), principal, { sessionId, uploadMethod: 'streaming' });
  await em().nativeUpdate(UploadSession, { id: sessionId }, { pausedAt: new Date(), engineDueAt: null });
  const outcome = await ingestFile(em(), principal, {
    fileId,
    objectKey: fileId,
    sizeBytes: 1,
    sha256: '0'.repeat(64),
    mediaType: 'document',
    contentType: 'text/plain',
    format: 'txt',
    filename: 'x.txt',
    title: null,
    tags: [],
    contentCategory: 'general',
    options: { autoDescribe: true, skipDuplicates: false },
    folderId,
    session: { sessionId: session.id, index: 0 },
  });
  assert.ok('created' in outcome);
  // As the workflow of the session does.
  const { mediaType, generation, components } = outcome.created;
  const input = { fileId, tenantId, mediaType, generation, components, sessionId, priority: 'bulk' } as const;
  await startWorkflow(engine, FILE_WORKFLOWS, input);
  const lastSeenOf = createLastSeenOf(engine, 5000);
  await eventually(async () => {
    const run = await describeRun(engine, fileId, 5000);
    assert.ok(run && (await isHalted(run, generation, lastSeenOf)), JSON.stringify(run));
  });
  const row = await rowOf(fileId);
  assert.ok(isBusy(row));
  return row;
}

async function ownTenant(): Promise<string> {
  const tenantId = randomUUID();
  await em().insert(Tenant, { id: tenantId, name: 'trash', tier: 'enterprise', createdAt: new Date() });
  return tenantId;
}

test('a document that waits in a paused session is deleted, alone, in a batch and with its folder', async () => {
  const tenantId = await ownTenant();
  const folder = await createFolder(em(), tenantId, { id: randomUUID(), name: 'paused' });
  const [single, batched, inside] = await Promise.all([
    pausedDocument(tenantId),
    pausedDocument(tenantId),
    pausedDocument(tenantId, folder.id),
  ]);

  await assert.rejects(deleteFile({ em: em(), engine: unreachable }, tenantId, single.id), {
    code: 'WORK_IN_PROGRESS',
  });
  await deleteFile({ em: em(), engine }, tenantId, single.id);
  const [deletion] = await deleteFiles({ em: em(), engine }, tenantId, [batched.id]);
  assert.equal(deletion?.outcome, 'deleted');
  await assert.rejects(deleteFolder({ em: em(), engine: unreachable }, tenantId, folder.id, true), {
    code: 'WORK_IN_PROGRESS',
  });
  const emptied = await deleteFolder({ em: em(), engine }, tenantId, folder.id, true);
  assert.deepEqual([emptied.files, emptied.pendingFiles], [1, 0]);

  for (const { id } of [single, batched, inside]) {
    await eventually(async () => assert.equal((await describeRun(engine, id, 5000))?.outcome, 'cancelled'));
    const row = await rowOf(id);
    assert.equal(row.components.text_extraction?.cause, 'cancelled');
    assert.deepEqual(await ledger(id, 1), ['reserve', 'refund']);
  }
});

test('a document that resumes while the engine is queried is not deleted', async () => {
  const tenantId = await ownTenant();
  const { id, seq } = await pausedDocument(tenantId);
  const racing: Engine = {
    ...engine,
    async within(milliseconds, calls) {
      const seen = await engine.within(milliseconds, calls);
      await em().nativeUpdate(StoredFile, { id, seq }, { seq: seq + 1 });
      return seen;
    },
  };
  await assert.rejects(deleteFile({ em: em(), engine: racing }, tenantId, id), { code: 'WORK_IN_PROGRESS' });
  const [refused] = await deleteFiles({ em: em(), engine: unreachable }, tenantId, [id]);
  assert.equal(refused?.outcome, 'refused');
  await deleteFile({ em: em(), engine }, tenantId, id);
});

test('a document whose text is being extracted cannot be deleted', async () => {
  const { tenantId, fileId } = await untouched();
  const busy = { mediaType: 'document', components: { text_extraction: { status: 'queued' } } } as const;
  await em().nativeUpdate(StoredFile, { id: fileId }, busy);
  // Without the engine it is unknown whether the document waits.
  const deps = { em: em(), engine: unreachable };
  await assert.rejects(deleteFile(deps, tenantId, fileId), { code: 'WORK_IN_PROGRESS' });
  const [refused] = await deleteFiles(deps, tenantId, [fileId]);
  assert.equal(refused?.outcome, 'refused');
  assert.equal((await rowOf(fileId)).deletedAt, null);
  await em().nativeUpdate(StoredFile, { id: fileId }, { mediaType: 'image' });
  await deleteFile(deps, tenantId, fileId);
});

test('a document without a run is deleted', async () => {
  const { tenantId, fileId } = await untouched();
  const queued = { mediaType: 'document', components: { text_extraction: { status: 'queued' } } } as const;
  await em().nativeUpdate(StoredFile, { id: fileId }, queued);
  await deleteFile({ em: em(), engine }, tenantId, fileId);
  assert.ok((await rowOf(fileId)).deletedAt);
});
