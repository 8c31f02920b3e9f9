import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import type { EntityManager } from '@mikro-orm/postgresql';
import { VectorIndexError, type VectorIndex } from '../../../adapters/vector-index/vector-index.ts';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { Folder } from '../../../db/entities/folders/folder.ts';
import { MAX_SEARCH_IDS } from '../../../domain/limits.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { folderScope } from '../../../services/documents/find-passages.ts';
import { replaceChunks, toChunks } from '../../../services/documents/chunk-document.ts';
import { searchChunks } from '../../../services/documents/search-chunks.ts';
import { sharedRun, type Json } from '../../support/api.ts';
import { createOwnTenant } from '../../support/own-tenant.ts';

/** A folder with more documents than a search can name. */
const orm = createOrm(readConfig([databaseConfig], process.env));
after(() => orm.close(true));
const { client, tenantId } = await createOwnTenant(orm, sharedRun());
const { body: outer } = await client.post('/folders', { name: 'outer' });
const { body: inner } = await client.post('/folders', { name: 'inner', parent_id: outer.id });
const { body: beside } = await client.post('/folders', { name: 'beside' });

const QUESTION = 'What does quail 777 weigh?';
const inside = await orm.em.fork().transactional((tx) =>
  insertDocuments(
    tx,
    inner.id,
    Array.from({ length: MAX_SEARCH_IDS + 1 }, (_, at) => `The quail ${at} weighs ${at + 9000} kg.`),
  ),
);
const [outside] = await orm.em
  .fork()
  .transactional((tx) =>
    insertDocuments(tx, beside.id, ['Of quail 777 it is said that quail 777 weighs 5 kg.']),
  );

const [sixth] = inside.slice(5);
assert.ok(outside && sixth);

test('a question in a folder of any size is answered from its documents alone', async () => {
  const { status, body } = await client.post('/files/ask', { question: QUESTION, folder_id: outer.id });
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.sentences[0]?.text, 'The quail 777 weighs 9777 kg.');
  const found: string[] = body.passages.map((passage: Json) => passage.document_id);
  assert.ok(found.length > 0 && !found.includes(outside.fileId));
  const { body: named } = await client.post('/files/ask', {
    question: QUESTION,
    folder_id: outer.id,
    document_ids: [outside.fileId, sixth.fileId],
  });
  assert.ok(named.passages.every((passage: Json) => passage.document_id === sixth.fileId));
  const { body: all } = await client.post('/files/ask', { question: QUESTION });
  assert.ok(all.passages.some((passage: Json) => passage.document_id === outside.fileId));
});

test('the nearest passages of other folders do not hide those of a large one', async () => {
  const em = orm.em.fork();
  const scope = await folderScope(em, tenantId, { folderId: outer.id, documentIds: undefined });
  assert.deepEqual(scope, { folderIds: [outer.id, inner.id] });
  const fail = () => Promise.reject(new VectorIndexError('VECTOR_INDEX_UNAVAILABLE', 'not asked'));
  const chunkVectors = {
    search: async ({ limit }) =>
      [...Array.from({ length: 200 }, () => ({ ...outside, score: 0.9 })), { ...sixth, score: 0.8 }].slice(
        0,
        limit,
      ),
    findMany: async () => new Map(),
    find: fail,
  } satisfies Partial<VectorIndex> as unknown as VectorIndex;
  const textEmbedding = {
    model: 'test',
    dimension: 2,
    language: undefined,
    embed: async (texts: readonly string[], { role }: { role: string }) =>
      texts.map(() => (role === 'query' ? [1, 0] : [0, 1])),
    close: async () => undefined,
  };
  const search = { query: 'zzyzx', limit: 5, threshold: 0, timeoutMs: 10_000, ...scope };
  const { hits } = await searchChunks(
    { em, textEmbedding, chunkVectors, onDegraded: () => assert.fail() },
    tenantId,
    search,
  );
  assert.deepEqual(
    hits.map(({ documentId }) => documentId),
    [sixth.fileId],
  );
});

test('a large folder of others looks absent', async () => {
  const other = await createOwnTenant(orm, sharedRun());
  const { status, body } = await other.client.post('/files/ask', { question: QUESTION, folder_id: outer.id });
  assert.deepEqual([status, body.code], [404, 'NOT_FOUND']);
  await orm.em.fork().nativeUpdate(Folder, { id: inner.id }, { deletedAt: new Date() });
  const { body: none } = await client.post('/files/ask', { question: QUESTION, folder_id: outer.id });
  assert.deepEqual([none.answered, none.passages], [false, []]);
});

function chunksOf(fileId: string, content: string) {
  return toChunks(fileId, [
    {
      content,
      pageNumbers: [1],
      headingPath: [],
      tokenCount: 8,
      type: 'text',
      role: 'body',
      elements: [],
      dictionary: 'english',
    },
  ]);
}

interface Inserted {
  fileId: string;
  /** Of its only chunk. */
  id: string;
}

async function insertDocuments(
  tx: EntityManager,
  folderId: string,
  texts: readonly string[],
): Promise<Inserted[]> {
  const inserted: Inserted[] = [];
  for (const text of texts) {
    const fileId = randomUUID();
    await tx.execute(
      `insert into files (id, tenant_id, folder_id, media_type, content_type, format, filename, tags, content_category,
         size_bytes, sha256, object_key, options, generation, seq, components, primary_status, created_at, updated_at)
       values (?, ?, ?, 'document', 'text/plain', 'txt', 'quails.txt', '{}', 'general', 1, md5('') || md5(''), 'none',
         '{}', 1, 1, '{}', 'completed', now(), now())`,
      [fileId, tenantId, folderId],
    );
    const chunks = chunksOf(fileId, text);
    await replaceChunks(tx, { fileId, tenantId }, chunks);
    inserted.push(...chunks.map(({ id }) => ({ fileId, id })));
  }
  return inserted;
}
