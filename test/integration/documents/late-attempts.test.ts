import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { ModelError } from '../../../adapters/models/model-error.ts';
import type { TextEmbedding } from '../../../adapters/models/text-embedding/text-embedding.ts';
import type { VectorIndex } from '../../../adapters/vector-index/vector-index.ts';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { DocumentChunk } from '../../../db/entities/documents/document-chunk.ts';
import { DocumentDetails } from '../../../db/entities/documents/document-details.ts';
import { DocumentPage } from '../../../db/entities/documents/document-page.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { replaceChunks } from '../../../services/documents/chunk-document.ts';
import {
  indexChunks,
  rebuildChunkPage,
  syncChunks,
  type ChunkIndexDeps,
} from '../../../services/documents/index-chunks.ts';
import { layoutWithModel } from '../../../services/documents/layout-with-model.ts';
import { planPages } from '../../../services/documents/plan-pages.ts';
import { recordPages } from '../../../services/documents/record-pages.ts';
import type { FileTarget } from '../../../services/processing/file-target.ts';
import type { Engine } from '../../../temporal/client.ts';
import { removeSeeded } from '../../support/seed-descriptions.ts';

const orm = createOrm(readConfig([databaseConfig], process.env));
const em = () => orm.em.fork();
const tenantId = randomUUID();
const { signal } = new AbortController();
before(() => em().insert(Tenant, { id: tenantId, name: 'late', tier: 'enterprise', createdAt: new Date() }));
after(async () => {
  // Otherwise a sweep would start the missing runs of the open files.
  await removeSeeded(orm, tenantId);
  await orm.close(true);
});

/** A document in progress, without a run. */
async function openDocument(fileId: string = randomUUID()): Promise<FileTarget> {
  await em().insert(StoredFile, {
    id: fileId,
    tenantId,
    mediaType: 'document',
    contentType: 'application/pdf',
    format: 'pdf',
    filename: 'late.pdf',
    tags: [],
    contentCategory: 'general',
    sizeBytes: 1,
    sha256: '0'.repeat(64),
    objectKey: fileId,
    options: { autoDescribe: false, skipDuplicates: false },
    generation: 1,
    seq: 1,
    components: { text_extraction: { status: 'processing' } },
    primaryStatus: 'processing',
    createdAt: new Date(),
    updatedAt: new Date(),
  });
  await em().insert(DocumentDetails, { fileId, pageCount: 1, profile: {} });
  return { fileId, tenantId, generation: 1 };
}

const setDeleted = ({ fileId }: FileTarget, deletedAt: Date | null) =>
  em().nativeUpdate(StoredFile, { id: fileId }, { deletedAt });

/** An index in memory with a fake model. `afterUpsert` is called between the writes of the index and the rows. */
function fakeIndex(afterUpsert: () => Promise<unknown>) {
  const vectors = new Map<string, number[]>();
  const index = {
    upsert: async (points) => {
      for (const { id, vector } of points) vectors.set(id, [...vector]);
      await afterUpsert();
    },
    findMany: async ({ ids }) => new Map([...vectors].filter(([id]) => ids.includes(id))),
    remove: async () => {
      const { size } = vectors;
      vectors.clear();
      return size;
    },
    removePoints: async ({ ids }) => ids.forEach((id) => vectors.delete(id)),
    count: async () => vectors.size,
    ready: async () => undefined,
    ensureCollection: async () => undefined,
    find: async ({ id }) => vectors.get(id),
    search: async () => [],
    compare: async () => new Map(),
    maintain: async () => undefined,
    repair: async () => false,
    drop: async () => vectors.clear(),
    close: async () => undefined,
  } satisfies VectorIndex;
  const textEmbedding: TextEmbedding = {
    model: 'late',
    dimension: 1,
    language: undefined,
    embed: async (texts) => texts.map(() => [1]),
    close: async () => undefined,
  };
  const deps = (): ChunkIndexDeps => ({ em: em(), textEmbedding, chunkVectors: index });
  return { vectors, deps };
}

async function chunked(chunks: number, fileId?: string): Promise<FileTarget> {
  const target = await openDocument(fileId);
  const made = Array.from({ length: chunks }, (_, at) => ({
    id: randomUUID(),
    content: `chunk ${at}`,
    pageNumbers: [1],
    headingPath: [],
    tokenCount: 2,
    type: 'text' as const,
    role: 'body' as const,
    elements: [],
    dictionary: 'simple' as const,
  }));
  await em().transactional((tx) => replaceChunks(tx, target, made));
  return target;
}

const completed = ({ fileId }: FileTarget) =>
  em().count(DocumentChunk, { fileId, embeddingStatus: 'completed' });

for (const chunks of [3, 70]) {
  test(`a document of ${chunks} chunks deleted during indexing leaves no vectors, and has all of them after a restore`, async () => {
    const target = await chunked(chunks);
    let deleted = false;
    const { vectors, deps } = fakeIndex(async () => {
      if (deleted) return;
      deleted = true;
      await setDeleted(target, new Date());
      await syncChunks(deps(), target.fileId, signal);
    });
    await assert.rejects(indexChunks(deps(), target, signal), { name: 'FileGone' });
    assert.deepEqual([vectors.size, await completed(target)], [0, 0]);

    await setDeleted(target, null);
    await syncChunks(deps(), target.fileId, signal);
    assert.deepEqual([vectors.size, await completed(target)], [chunks, chunks]);
  });
}

test('an attempt that is interrupted after the deletion removes the vectors that it has written', async () => {
  const target = await chunked(40);
  const interrupted = new Error('the attempt is cancelled');
  const { vectors, deps } = fakeIndex(async () => {
    await setDeleted(target, new Date());
    throw interrupted;
  });
  await assert.rejects(indexChunks(deps(), target, signal), interrupted);
  assert.equal(vectors.size, 0);
});

test('vectors that a late removal deletes after a restore are created again', async () => {
  const target = await chunked(3);
  const { vectors, deps } = fakeIndex(async () => undefined);
  await indexChunks(deps(), target, signal);
  vectors.clear();
  await syncChunks(deps(), target.fileId, signal);
  assert.equal(vectors.size, 3);
});

const page = (pageNumber: number, status: DocumentPage['status'], layoutDue = false) => ({
  pageNumber,
  status,
  needsOcr: true,
  source: null,
  elements: [],
  text: '',
  contentHash: null,
  attempts: 1,
  error: null,
  layoutDue,
  lines: null,
  layoutConfidence: null,
  laidOutBy: null,
  layoutError: null,
  updatedAt: new Date(),
});

test('a document with passages that a new model refuses keeps none of the former vectors in use', async () => {
  // The last of all files, so that the page has no other one.
  const last = 'ffffffff-ffff-4fff-bfff-';
  const target = await chunked(70, `${last}${randomUUID().slice(-12)}`);
  const { deps } = fakeIndex(async () => undefined);
  await indexChunks(deps(), target, signal);
  assert.equal(await completed(target), 70);
  const refusing: TextEmbedding = {
    ...deps().textEmbedding,
    model: 'new',
    embed: () => Promise.reject(new ModelError('MODEL_REFUSED', 'the model endpoint answered 400')),
  };
  const rebuild = { ...deps(), textEmbedding: refusing, engine: {} as Engine };
  const page = await rebuildChunkPage(rebuild, `${last}000000000000`, signal);
  assert.deepEqual(page.leftOut, [{ fileId: target.fileId, reason: 'the model endpoint answered 400' }]);
  assert.equal(await completed(target), 0);
});

test('a late attempt changes no page that has ended', async () => {
  const target = await openDocument();
  const { fileId } = target;
  await em().insertMany(DocumentPage, [
    { fileId, ...page(1, 'completed'), text: 'laid out by a model' },
    { fileId, ...page(2, 'completed'), text: 'read before' },
    { fileId, ...page(3, 'processing') },
  ]);
  const content = (pageNumber: number) => ({ pageNumber, source: 'ocr' as const, elements: [] });
  await recordPages(em(), target, [1, 2, 3], [content(1), content(3)]);
  const rows = await em().find(DocumentPage, { fileId }, { orderBy: { pageNumber: 'asc' } });
  assert.deepEqual(
    rows.map(({ status, text, layoutDue }) => [status, text, layoutDue]),
    [
      ['completed', 'laid out by a model', false],
      ['completed', 'read before', false],
      ['completed', '', false],
    ],
  );
});

test('layouts are planned once all pages are read', async () => {
  const target = await openDocument();
  const { fileId } = target;
  await em().insertMany(DocumentPage, [
    { fileId, ...page(1, 'completed', true) },
    { fileId, ...page(2, 'pending') },
  ]);
  assert.deepEqual((await planPages(em(), target, 64)).batches, [{ work: 'ocr', pages: [2] }]);
  await recordPages(em(), target, [2], [{ pageNumber: 2, source: 'ocr', elements: [] }]);
  const { batches, layoutsDue } = await planPages(em(), target, 64);
  assert.deepEqual([batches, layoutsDue], [[{ work: 'vision', pages: [1] }], 1]);
});

test('batches of pages are as long as opening the document was dear', async () => {
  const target = await openDocument();
  const { fileId } = target;
  const pages = Array.from({ length: 40 }, (_, at) => ({ ...page(at + 1, 'pending'), needsOcr: false }));
  await em().insertMany(
    DocumentPage,
    pages.map((each) => ({ fileId, ...each })),
  );
  const lengths = async () =>
    (await planPages(em(), target, 64)).batches.map(({ pages: { length } }) => length);
  assert.deepEqual(await lengths(), [16, 16, 8]);
  await em().nativeUpdate(DocumentDetails, { fileId }, { profile: { openingMs: 250 } });
  assert.deepEqual(await lengths(), [25, 15]);
  const { batches } = await planPages(em(), target, 1);
  assert.deepEqual(batches, [{ work: 'cpu', pages: Array.from({ length: 16 }, (_, at) => at + 1) }]);
});

test('a page whose recognised words are missing keeps its rule-based layout, and is not planned again', async () => {
  const target = await openDocument();
  await em().insert(DocumentPage, { fileId: target.fileId, ...page(1, 'completed', true) });
  type Given = Parameters<typeof layoutWithModel>;
  await layoutWithModel({ em: em() } as Given[0], target, 1, { signal });
  assert.deepEqual((await planPages(em(), target, 64)).batches, []);
});
