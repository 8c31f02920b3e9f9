import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { ModelError } from '../../../adapters/models/model-error.ts';
import type { TextEmbedding } from '../../../adapters/models/text-embedding/text-embedding.ts';
import { VectorIndexError, type VectorIndex } from '../../../adapters/vector-index/vector-index.ts';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { DocumentChunk } from '../../../db/entities/documents/document-chunk.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { AppError } from '../../../domain/app-error.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { replaceChunks, toChunks } from '../../../services/documents/chunk-document.ts';
import { withDictionaries } from '../../../adapters/text-work/languages.ts';
import { findByWords } from '../../../services/documents/find-by-words.ts';
import { searchChunks } from '../../../services/documents/search-chunks.ts';
import { createClient, sharedRun } from '../../support/api.ts';

const client = createClient(sharedRun());
const orm = createOrm(readConfig([databaseConfig], process.env));
after(() => orm.close(true));

const away = (reason: Error) => () => Promise.reject(reason);
const fails = (reason: Error): VectorIndex => {
  const fail = away(reason);
  return {
    ready: fail,
    ensureCollection: fail,
    upsert: fail,
    find: fail,
    findMany: fail,
    search: fail,
    remove: fail,
    removePoints: fail,
    count: fail,
    close: () => Promise.resolve(),
  };
};
const embedding = (embed: TextEmbedding['embed']): TextEmbedding => ({
  model: 'test',
  dimension: 2,
  language: undefined,
  embed,
  close: () => Promise.resolve(),
});
const down = new VectorIndexError('VECTOR_INDEX_UNAVAILABLE', 'no answer');
const OUTAGES = {
  'the index': { textEmbedding: embedding(async () => [[1, 0]]), chunkVectors: fails(down) },
  'the index after its search': {
    textEmbedding: embedding(async () => [[1, 0]]),
    chunkVectors: {
      ...fails(down),
      search: async () => [{ id: randomUUID(), fileId: randomUUID(), score: 1 }],
    },
  },
  'the model': {
    textEmbedding: embedding(away(new ModelError('MODEL_UNAVAILABLE', 'no answer'))),
    chunkVectors: fails(new Error('not asked')),
  },
};

test('without the index or the query model, documents are found by their words', async () => {
  const word = `heron${randomUUID().slice(0, 8)}`;
  const bytes = Buffer.from(
    `At the lake behind the mill, a ${word} waits for fish every morning of the year.`,
  );
  const id = await client.ingest({ bytes, filename: 'lake.txt' });
  await client.settled(id);
  const { tenantId } = await orm.em.fork().findOneOrFail(StoredFile, { id });
  const search = { query: word, limit: 5, threshold: 0, timeoutMs: 10_000 };
  for (const [name, outage] of Object.entries(OUTAGES)) {
    const reasons: unknown[] = [];
    const deps = { em: orm.em.fork(), ...outage, onDegraded: (error: unknown) => void reasons.push(error) };
    const { hits, rankedBy } = await searchChunks(deps, tenantId, search);
    assert.deepEqual([hits.map((hit) => hit.documentId), rankedBy], [[id], 'words'], name);
    assert.equal(hits[0]?.similarity, null);
    assert.equal(reasons.length, 1);
    await assert.rejects(
      searchChunks(deps, tenantId, { ...search, threshold: 0.5 }),
      (error) => error instanceof AppError || error === down,
      name,
    );
  }
});

test('a model or an index that hangs uses only part of the time of a search, which ends within its limit', async () => {
  const word = `egret${randomUUID().slice(0, 8)}`;
  const bytes = Buffer.from(
    `In the reeds behind the weir, an ${word} sleeps through the whole of the winter.`,
  );
  const id = await client.ingest({ bytes, filename: 'weir.txt' });
  await client.settled(id);
  const { tenantId } = await orm.em.fork().findOneOrFail(StoredFile, { id });
  const never = () => new Promise<never>(() => undefined);
  const hanging: TextEmbedding['embed'] = (_, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  const hangs = {
    'the model': { textEmbedding: embedding(hanging), chunkVectors: fails(new Error('not asked')) },
    'the index': {
      textEmbedding: embedding(async () => [[1, 0]]),
      chunkVectors: { ...fails(down), search: never, findMany: never },
    },
  };
  for (const [name, hanging] of Object.entries(hangs)) {
    const deps = { em: orm.em.fork(), ...hanging, onDegraded: () => undefined };
    const search = { query: word, limit: 5, threshold: 0, timeoutMs: 4_000 };
    const { hits, rankedBy } = await searchChunks(deps, tenantId, search);
    assert.deepEqual([hits.map((hit) => hit.documentId), rankedBy], [[id], 'words'], name);
    await assert.rejects(searchChunks(deps, tenantId, { ...search, threshold: 0.5 }), (error) => {
      assert.ok(error instanceof AppError, name);
      assert.equal(error.code, 'SERVICE_UNAVAILABLE');
      assert.ok(Number(error.details.retryAfterSeconds) > 0);
      return true;
    });
    await assert.rejects(
      searchChunks(deps, tenantId, { ...search, timeoutMs: 1 }),
      (error) => error instanceof AppError && error.code === 'SEARCH_TIMEOUT',
    );
  }
});

test('a query of a whole page searches for its 32 longest words', async () => {
  const [long, short] = [`cormorant${randomUUID().slice(0, 8)}`, `gull${randomUUID().slice(0, 4)}`];
  const bytes = Buffer.from(`Over the harbour, a ${long} and a ${short} quarrel about the head of a fish.`);
  const id = await client.ingest({ bytes, filename: 'quarrel.txt' });
  await client.settled(id);
  const { tenantId } = await orm.em.fork().findOneOrFail(StoredFile, { id });
  const others = Array.from({ length: 40 }, (_, at) => `zyzzyvas${at + 100}`).join(' ');
  const find = (query: string) => findByWords(orm.em.fork(), tenantId, { query, documentIds: [id] }, 5);
  assert.equal((await find(`${others} ${long}`)).ids.length, 1);
  assert.equal((await find(`${others} ${short}`)).ids.length, 0);
  assert.equal((await find(short)).ids.length, 1);
});

test('a match of the index is a hit only if its row is a live document of the tenant', async () => {
  const bytes = Buffer.from('The gatekeeper counts the sheep of the village before the night begins.');
  const ids = await Promise.all(['a.txt', 'b.txt'].map((filename) => client.ingest({ bytes, filename })));
  const [live = '', deleted = ''] = ids;
  for (const id of ids) await client.settled(id);
  const { tenantId } = await orm.em.fork().findOneOrFail(StoredFile, { id: live });
  const chunks = await orm.em.fork().find(DocumentChunk, { fileId: { $in: ids } });
  assert.equal((await client.delete(`/files/${deleted}`)).status, 200);
  const near = [
    ...chunks.map(({ id, fileId }) => ({ id, fileId })),
    { id: randomUUID(), fileId: randomUUID() },
  ];
  const chunkVectors: VectorIndex = {
    ...fails(down),
    search: async () => near.map((hit) => ({ ...hit, score: 0.9 })),
    findMany: async () => new Map(),
  };
  const textEmbedding = embedding(async () => [[1, 0]]);
  const find = async (tenant: string) => {
    const deps = { em: orm.em.fork(), textEmbedding, chunkVectors, onDegraded: () => undefined };
    const search = { query: 'zzyzx', limit: 5, threshold: 0.5, timeoutMs: 10_000 };
    return (await searchChunks(deps, tenant, search)).hits.map(({ documentId }) => documentId);
  };
  assert.deepEqual(await find(tenantId), [live]);
  assert.deepEqual(await find(randomUUID()), []);
});

test('if all words are common, the chunk with all of them ranks first', async () => {
  const rolledBack = new Error('nothing is kept');
  const [tenantId, fileId, other] = [randomUUID(), randomUUID(), randomUUID()];
  const texts = [
    ...Array.from(
      { length: 4200 },
      (_, at) => `The harbour has a record of the year ${at}, and of its ships.`,
    ),
    ...Array.from(
      { length: 2100 },
      (_, at) => `The lantern has a record of the night ${at}, and of its wicks.`,
    ),
    'The harbour has a lantern.',
  ];
  const chunks = toChunks(
    fileId,
    withDictionaries(
      texts.map((content) => ({ content, pageNumbers: [1], headingPath: [], tokenCount: 9, type: 'text' })),
      'en',
    ),
  );
  const looking = orm.em.fork().transactional(async (tx) => {
    await tx.execute(`insert into tenants (id, name, tier, created_at) values (?, 'words', 'free', now())`, [
      tenantId,
    ]);
    await tx.execute(
      `insert into files (id, tenant_id, media_type, content_type, format, filename, tags, content_category, size_bytes,
         sha256, object_key, options, generation, seq, components, primary_status, created_at, updated_at)
       values (?, ?, 'document', 'text/plain', 'txt', 'records.txt', '{}', 'general', 1, md5('') || md5(''), 'none', '{}', 1,
         1, '{}', 'completed', now(), now())`,
      [fileId, tenantId],
    );
    await replaceChunks(tx, { fileId, tenantId }, chunks);
    const find = async (tenant: string, query: string, documentIds?: string[]) =>
      (await findByWords(tx, tenant, { query, documentIds }, 10)).ids;
    const last = chunks.at(-1)?.id;
    assert.equal((await find(tenantId, 'Which harbours have lanterns?'))[0], last);
    assert.equal((await find(tenantId, 'Which harbours have lanterns?', [fileId]))[0], last);
    assert.equal((await find(tenantId, 'the record of night 77'))[0], chunks[4277]?.id);
    assert.deepEqual(await find(tenantId, 'harbour', [other]), []);
    assert.deepEqual(await find(other, 'harbour'), []);
    assert.deepEqual(await find(tenantId, "zzyzx's \\"), []);
    throw rolledBack;
  });
  await assert.rejects(looking, rolledBack);
});
