import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { ModelError } from '../../../adapters/models/model-error.ts';
import { VectorIndexError, type VectorIndex } from '../../../adapters/vector-index/vector-index.ts';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { SearchDeadline } from '../../../services/files/search-deadline.ts';
import { findFilesByText, type TextSearchDeps } from '../../../services/images/find-files-by-text.ts';
import { ingestImage } from '../../support/ingest-image.ts';
import { createOwnTenant } from '../../support/own-tenant.ts';
import { sharedRun } from '../../support/api.ts';

const orm = createOrm(readConfig([databaseConfig], process.env));
after(() => orm.close(true));
const { tenantId } = await createOwnTenant(orm, sharedRun());

async function newImage(title: string): Promise<string> {
  const em = orm.em.fork();
  const { id } = await ingestImage(em, tenantId);
  await em.nativeUpdate(StoredFile, { id }, { title });
  return id;
}

/** An index whose nearest files are these, nearest first. */
const nearest = (...fileIds: string[]): Partial<VectorIndex> => ({
  search: async () => fileIds.map((fileId, at) => ({ id: randomUUID(), fileId, score: 0.3 - at / 100 })),
  findMany: async () => new Map(),
});
const TIMEOUT_MS = 4_000;

function find(
  query: string,
  vectors: Partial<VectorIndex>,
  embedText: NonNullable<TextSearchDeps['embedding']['embedText']> = async () => [1, 0],
  tenant = tenantId,
  model: Pick<TextSearchDeps['embedding'], 'mostSimilar' | 'near'> = {},
) {
  const reasons: unknown[] = [];
  const deps: TextSearchDeps = {
    em: orm.em.fork(),
    embedding: { model: 'test', embedText, ...model },
    vectors: vectors as VectorIndex,
    onDegraded: (error) => void reasons.push(error),
  };
  const search = { tenantId: tenant, query, mediaTypes: ['image' as const] };
  return findFilesByText(deps, search, 5, new SearchDeadline(TIMEOUT_MS)).then(({ hits, rankedBy }) => ({
    found: hits.map(({ file, foundBy, similarity }) => [file.id, foundBy, similarity]),
    rankedBy,
    reasons: reasons.length,
  }));
}

test('the nearest images and those with the words of the query are fused, whatever is deleted or foreign', async () => {
  const word = `heron${randomUUID().slice(0, 8)}`;
  const [named, near, both, deleted] = [
    await newImage(`A ${word}`),
    await newImage('Reeds'),
    await newImage(`Another ${word}`),
    await newImage(word),
  ];
  await orm.em.fork().nativeUpdate(StoredFile, { id: deleted }, { deletedAt: new Date() });
  const index = nearest(both, deleted, near, randomUUID());
  const { found, rankedBy } = await find(word, index);
  assert.equal(rankedBy, 'meaning_and_words');
  assert.deepEqual(found[0], [both, 'meaning_and_words', 0.3]);
  assert.deepEqual(
    found.slice(1).toSorted(),
    [
      [named, 'words', null],
      [near, 'meaning', 0.28],
    ].toSorted(),
  );
  assert.deepEqual((await find(word, index, undefined, randomUUID())).found, []);
  const ownScale = { mostSimilar: () => 0.5, near: 0.57 };
  assert.deepEqual(
    (await find(word, index, undefined, tenantId, ownScale)).found,
    [
      [both, 'meaning_and_words', 0.6],
      [named, 'words', null],
    ],
    'what is less similar than the model requires is not found by it',
  );
});

test('without a model for texts, or while it or the index is away or hangs, images are found by words', async () => {
  const word = `egret${randomUUID().slice(0, 8)}`;
  const id = await newImage(word);
  const never = () => new Promise<never>(() => undefined);
  const fail = () => Promise.reject(new VectorIndexError('VECTOR_INDEX_UNAVAILABLE', 'no answer'));
  const away = () => Promise.reject(new ModelError('MODEL_UNAVAILABLE', 'no answer'));
  const byWords = { found: [[id, 'words', null]], rankedBy: 'words' };
  assert.deepEqual(await find(word, { search: fail }), { ...byWords, reasons: 1 });
  assert.deepEqual(await find(word, nearest(id), away), { ...byWords, reasons: 1 });
  assert.deepEqual(await find(word, nearest(id), never), { ...byWords, reasons: 1 });
  assert.deepEqual(await find(word, { search: never }), { ...byWords, reasons: 1 });
  const deps = {
    em: orm.em.fork(),
    embedding: { model: 'test' },
    vectors: {} as VectorIndex,
    onDegraded: () => assert.fail(),
  };
  const search = { tenantId, query: word, mediaTypes: ['image' as const] };
  const { rankedBy } = await findFilesByText(deps, search, 5, new SearchDeadline(TIMEOUT_MS));
  assert.equal(rankedBy, 'words');
});
