import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import type { EntityManager } from '@mikro-orm/postgresql';
import { createCallHost } from '../../../engines/hosts/call-host.ts';
import { startThread } from '../../../engines/hosts/host.ts';
import { ModelError } from '../../../adapters/models/model-error.ts';
import type { TextEmbedding } from '../../../adapters/models/text-embedding/text-embedding.ts';
import { VectorIndexError, type VectorIndex } from '../../../adapters/vector-index/vector-index.ts';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { DocumentChunk } from '../../../db/entities/documents/document-chunk.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import type { MediaType } from '../../../domain/media.ts';
import { AppError } from '../../../domain/app-error.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { replaceChunks, toChunks } from '../../../services/documents/chunk-document.ts';
import { withDictionaries } from '../../../engines/text-work/languages.ts';
import { findByWords } from '../../../services/documents/find-by-words.ts';
import { searchChunks } from '../../../services/documents/search-chunks.ts';
import { createOwnTenant } from '../../support/own-tenant.ts';
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
    compare: fail,
    maintain: fail,
    repair: fail,
    drop: fail,
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
const anyVectors: TextEmbedding['embed'] = async (texts, { role }) =>
  texts.map(() => (role === 'query' ? [1, 0] : [0, 1]));
/** Ends with each call. */
const endingThread = createCallHost<object, number[][]>(() =>
  startThread({ module: new URL('data:text/javascript,export const handle = () => process.exit(1)') }),
);
const down = new VectorIndexError('VECTOR_INDEX_UNAVAILABLE', 'no answer');
const OUTAGES = {
  'the index': { textEmbedding: embedding(anyVectors), chunkVectors: fails(down) },
  'the index after its search': {
    textEmbedding: embedding(anyVectors),
    chunkVectors: {
      ...fails(down),
      search: async () => [{ id: randomUUID(), fileId: randomUUID(), score: 1 }],
    },
  },
  'the model': {
    textEmbedding: embedding(away(new ModelError('MODEL_UNAVAILABLE', 'no answer'))),
    chunkVectors: fails(new Error('not asked')),
  },
  'the thread of the model': {
    textEmbedding: embedding(() => endingThread.call({})),
    chunkVectors: fails(new Error('not asked')),
  },
};

/** 32 letters: longer ones are not compared with misspelt words. */
const LONGEST_WORD = `quabz${'rdoktivpen'.repeat(3).slice(1)}`.slice(0, 32);

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
      textEmbedding: embedding(anyVectors),
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
  assert.equal((await find(`${others} ${long}`)).hits.length, 1);
  assert.equal((await find(`${others} ${short}`)).hits.length, 0);
  assert.equal((await find(short)).hits.length, 1);
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
    compare: async () => new Map(),
  };
  const textEmbedding = embedding(anyVectors);
  const find = async (tenant: string) => {
    const deps = { em: orm.em.fork(), textEmbedding, chunkVectors, onDegraded: () => undefined };
    const search = { query: 'zzyzx', limit: 5, threshold: 0.5, timeoutMs: 10_000 };
    return (await searchChunks(deps, tenant, search)).hits.map(({ documentId }) => documentId);
  };
  assert.deepEqual(await find(tenantId), [live]);
  assert.deepEqual(await find(randomUUID()), []);
});

test('passages of some media are found among many nearer ones of others', async () => {
  const { tenantId } = await createOwnTenant(orm, sharedRun());
  const [document, link] = [randomUUID(), randomUUID()];
  const sentences = Array.from({ length: 150 }, (_, at) => `The ferry ${at} leaves at noon.`);
  const long = `A ferry may also leave later. ${'It is written on the board beside the pier. '.repeat(9)}`;
  const [passages, ofLink] = [chunksOf(document, sentences), chunksOf(link, [long])];
  await orm.em.fork().transactional(async (tx) => {
    await insertTextFile(tx, document, tenantId);
    await insertTextFile(tx, link, tenantId, 'link');
    await replaceChunks(tx, { fileId: document, tenantId }, passages);
    await replaceChunks(tx, { fileId: link, tenantId }, ofLink);
  });
  const chunkVectors: VectorIndex = {
    ...fails(down),
    search: async ({ limit }) =>
      [
        ...passages.map(({ id }) => ({ id, fileId: document, score: 0.9 })),
        ...ofLink.map(({ id }) => ({ id, fileId: link, score: 0.8 })),
      ].slice(0, limit),
    compare: async () => new Map(),
  };
  const ways = [
    { query: 'zzyzx', deps: { textEmbedding: embedding(anyVectors), chunkVectors } },
    { query: 'ferry', deps: OUTAGES['the model'] },
  ];
  for (const { query, deps } of ways) {
    const all = { ...deps, em: orm.em.fork(), onDegraded: () => undefined };
    const search = { query, limit: 3, threshold: 0, timeoutMs: 10_000 };
    const media = async (mediaTypes?: readonly MediaType[]) =>
      (await searchChunks(all, tenantId, { ...search, mediaTypes })).hits.map(({ mediaType }) => mediaType);
    assert.deepEqual(await media(['link']), ['link'], query);
    assert.deepEqual(await media(), ['document', 'document', 'document'], query);
  }
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
      texts.map((content) => ({
        content,
        pageNumbers: [1],
        headingPath: [],
        tokenCount: 9,
        type: 'text',
        role: 'body',
        elements: [],
      })),
      'en',
    ),
  );
  const looking = orm.em.fork().transactional(async (tx) => {
    await tx.execute(`insert into tenants (id, name, tier, created_at) values (?, 'words', 'free', now())`, [
      tenantId,
    ]);
    await insertTextFile(tx, fileId, tenantId);
    await replaceChunks(tx, { fileId, tenantId }, chunks);
    const find = async (tenant: string, query: string, documentIds?: string[]) =>
      (await findByWords(tx, tenant, { query, documentIds }, 10)).hits.map(({ id }) => id);
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

test('a misspelt word finds the chunks with the most similar one, until the last of these is deleted', async () => {
  const id = await client.ingest({
    bytes: Buffer.from(
      `Under the quarzwinkel of the tower, a lamplighter keeps the oil for the harbour. ${LONGEST_WORD}.`,
    ),
    filename: 'tower.txt',
  });
  await client.settled(id);
  const { tenantId } = await orm.em.fork().findOneOrFail(StoredFile, { id });
  const find = async (query: string, tenant = tenantId) =>
    (await findByWords(orm.em.fork(), tenant, { query, documentIds: [id] }, 5)).hits;
  const [exact] = await find('quarzwinkel');
  for (const misspelt of ['quarzwinkle', 'qarzwinkel', 'quarzwinkelx', 'quarzwnikel']) {
    const [hit] = await find(misspelt);
    assert.equal(hit?.id, exact?.id, misspelt);
    assert.ok((hit?.score ?? NaN) <= (exact?.score ?? NaN), misspelt);
  }
  for (const misspelt of [`${LONGEST_WORD}yx`, LONGEST_WORD.replace('ab', 'ba')])
    assert.equal((await find(misspelt))[0]?.id, exact?.id, misspelt);
  assert.deepEqual(await find('zwuelriqak'), []);
  assert.deepEqual(await find(`zwuelriqak${'ab'.repeat(450)}`), []);
  assert.deepEqual(await find('quarzwinkle', randomUUID()), []);
  const spelt = () =>
    orm.em.execute(`select from chunk_lexemes where tenant_id = ? and lexeme like 'quarzwink%'`, [tenantId]);
  assert.equal((await spelt()).length, 1);
  await orm.em.execute('delete from document_chunks where file_id = ?', [id]);
  assert.equal((await spelt()).length, 0);
});

test('a word that every chunk has once finds some, and the chunk with several such words is among them', async () => {
  const rolledBack = new Error('nothing is kept');
  const [tenantId, fileId, second] = [randomUUID(), randomUUID(), randomUUID()];
  const make = (id: string, texts: string[]) =>
    toChunks(
      id,
      texts.map((content) => ({
        content,
        pageNumbers: [1],
        headingPath: [],
        tokenCount: 8,
        type: 'text' as const,
        role: 'body' as const,
        elements: [],
        dictionary: 'english',
      })),
    );
  const pairs = ['harbour lantern', 'lantern anchor', 'anchor harbour'];
  const many = make(
    fileId,
    pairs.flatMap((pair) => Array.from({ length: 1100 }, (_, at) => `Printer ${at}: ${pair}.`)),
  );
  const few = make(second, [
    'The printer E-4711 has no toner.',
    'A harbour, a lantern and an anchor of the printer.',
  ]);
  const looking = orm.em.fork().transactional(async (tx) => {
    await tx.execute(`insert into tenants (id, name, tier, created_at) values (?, 'words', 'free', now())`, [
      tenantId,
    ]);
    await insertTextFile(tx, fileId, tenantId);
    await insertTextFile(tx, second, tenantId);
    await replaceChunks(tx, { fileId, tenantId }, many);
    await replaceChunks(tx, { fileId: second, tenantId }, few);
    const find = async (query: string, documentIds?: string[]) =>
      (await findByWords(tx, tenantId, { query, documentIds }, 100)).hits.map(({ id }) => id);
    assert.equal((await find('printer')).length, 100);
    assert.deepEqual((await find('printer', [second])).toSorted(), few.map(({ id }) => id).toSorted());
    assert.equal((await find('harbour lantern anchor'))[0], few[1]?.id);
    assert.equal((await find('4711'))[0], few[0]?.id);
    await tx.execute('update files set deleted_at = now() where id = ?', [fileId]);
    assert.deepEqual((await find('printer')).toSorted(), few.map(({ id }) => id).toSorted());
    throw rolledBack;
  });
  await assert.rejects(looking, rolledBack);
});

test('of chunks with the same words, the short one that repeats the rare word ranks first', async () => {
  const rolledBack = new Error('nothing is kept');
  const [tenantId, fileId] = [randomUUID(), randomUUID()];
  const filler = 'It was written down by the clerk of the town in the year of the flood. '.repeat(12);
  const texts = [
    `The weir was closed. ${filler}`,
    'The weir was closed by the clerk.',
    'The weir of the upper weir and the lower weir was closed.',
    ...Array.from({ length: 30 }, (_, at) => `The gate ${at} was closed.`),
  ];
  const chunks = chunksOf(fileId, texts);
  const looking = orm.em.fork().transactional(async (tx) => {
    await tx.execute(`insert into tenants (id, name, tier, created_at) values (?, 'words', 'free', now())`, [
      tenantId,
    ]);
    await insertTextFile(tx, fileId, tenantId);
    await replaceChunks(tx, { fileId, tenantId }, chunks);
    const { hits } = await findByWords(tx, tenantId, { query: 'Which weirs were closed?' }, 3);
    assert.deepEqual(
      hits.map(({ id }) => chunks.findIndex((chunk) => chunk.id === id)),
      [2, 1, 0],
    );
    throw rolledBack;
  });
  await assert.rejects(looking, rolledBack);
});

test('stop words of a question do not count, also in a language in which the account has no text', async () => {
  const rolledBack = new Error('nothing is kept');
  const [tenantId, fileId] = [randomUUID(), randomUUID()];
  const texts = [
    'Datum: 21.11.2026 Total: 13,50',
    'Die Rechnung ist bezahlt.',
    'Der Film heißt Stop and go.',
  ];
  const looking = orm.em.fork().transactional(async (tx) => {
    await tx.execute(`insert into tenants (id, name, tier, created_at) values (?, 'words', 'free', now())`, [
      tenantId,
    ]);
    await insertTextFile(tx, fileId, tenantId);
    await replaceChunks(tx, { fileId, tenantId }, chunksOf(fileId, texts, 'german'));
    const find = (query: string) => findByWords(tx, tenantId, { query }, 3);
    const total = await find('What is the total?');
    assert.equal(total.dictionary, 'english');
    assert.ok(total.hits[0] && total.hits[0].score > 0.9, JSON.stringify(total.hits));
    // One stop word is not enough for another language.
    assert.equal((await find('stop and go')).dictionary, null);
    assert.equal((await find('Ist die Rechnung bezahlt?')).dictionary, 'german');
    throw rolledBack;
  });
  await assert.rejects(looking, rolledBack);
});

function chunksOf(fileId: string, texts: readonly string[], dictionary = 'english') {
  return toChunks(
    fileId,
    texts.map((content) => ({
      content,
      pageNumbers: [1],
      headingPath: [],
      tokenCount: content.split(' ').length,
      type: 'text' as const,
      role: 'body' as const,
      elements: [],
      dictionary,
    })),
  );
}

async function insertTextFile(
  tx: EntityManager,
  fileId: string,
  tenantId: string,
  mediaType: MediaType = 'document',
): Promise<void> {
  await tx.execute(
    `insert into files (id, tenant_id, media_type, content_type, format, filename, tags, content_category, size_bytes,
       sha256, object_key, options, generation, seq, components, primary_status, created_at, updated_at)
     values (?, ?, ?, 'text/plain', 'txt', 'records.txt', '{}', 'general', 1, md5('') || md5(''), 'none', '{}', 1,
       1, '{}', 'completed', now(), now())`,
    [fileId, tenantId, mediaType],
  );
}
