import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { EntityManager } from '@mikro-orm/postgresql';
import { withDictionaries } from '../../../engines/text-work/languages.ts';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { replaceChunks, toChunks } from '../../../services/documents/chunk-document.ts';
import { findByWords } from '../../../services/documents/find-by-words.ts';

const orm = createOrm(readConfig([databaseConfig], process.env));
after(() => orm.close(true));

const tenantId = randomUUID();
before(() =>
  orm.em.execute(`insert into tenants (id, name, tier, created_at) values (?, 'words', 'free', now())`, [
    tenantId,
  ]),
);

test('numbers keep their signs and exponents, and codes, ranges and dates are found by their parts', async () => {
  await write(['The limit is 3.5e-7 metres.', 'Part E-4711 weighs 10-20 grams, since 2024-05-17.']);
  for (const [query, found] of [
    ['3.5e-7', 0],
    ['3.5e-8', undefined],
    ['4711', 1],
    ['E-4711', 1],
    ['20', 1],
    ['17', 1],
  ] as const) {
    assert.deepEqual(await find(query), found === undefined ? [] : [found], query);
  }
});

test('Chinese and Japanese text is found by its words, although it has no spaces', async () => {
  await write(
    ['東京都の図書館は月曜日に休みます。', '大阪の水族館は毎日開いています。', '图书馆星期一关门。'],
    'ja',
  );
  assert.deepEqual((await find('図書館'))[0], 0);
  assert.deepEqual((await find('水族館'))[0], 1);
  assert.deepEqual((await find('星期一'))[0], 2);
});

test('two letters that have changed places are put back', async () => {
  await write(['The value of the virtual account.', 'Nothing of the kind.']);
  for (const query of ['vlaue', 'virtaul', 'acocunt']) assert.deepEqual(await find(query), [0], query);
});

test('in a document with many chunks of a common word, the only one with the rare word is first', async () => {
  const texts = Array.from({ length: 2500 }, (_, at) => `The printer of room ${at} is out of order.`);
  const fileId = await write([...texts, 'A printer in Zanzibar.']);
  assert.deepEqual((await find('zanzibar printer', [fileId]))[0], 2500);
});

test('words of two documents that are deleted at once are removed, and those of one that is added stay', async () => {
  const files = [await write(['An old quarzwinkel.']), await write(['A new quarzwinkel.'])];
  const [first, second, third] = await Promise.all([begun(), begun(), begun()]);
  const remove = (em: EntityManager, fileId: string | undefined) =>
    em.execute('delete from document_chunks where file_id = ?', [fileId]);
  await remove(first, files[0]);
  const removed = remove(second, files[1]);
  await first.commit();
  await removed;
  await second.commit();
  assert.deepEqual(await spellings('quarzwinkel'), []);

  const kept = await write(['The last lampenkraut.']);
  await write(['Another lampenkraut.'], 'en', third);
  await remove(orm.em.fork(), kept);
  await third.commit();
  assert.deepEqual(await spellings('lampenkraut'), ['lampenkraut']);
});

test('a document of very many distinct words is stored, with a bounded number of them for misspelt ones', async () => {
  const letters = (at: number) =>
    at.toString(26).replace(/[0-9]/g, (digit) => 'qrstuvwxyz'.charAt(Number(digit)));
  const words = Array.from({ length: 60_000 }, (_, at) => `zz${letters(at + 100_000)}`);
  const texts = Array.from({ length: 300 }, (_, at) => words.slice(at * 200, at * 200 + 200).join(' '));
  await write(texts);
  const [stored] = await orm.em.execute<{ count: number }[]>(
    `select count(*)::int from chunk_lexemes where tenant_id = ? and lexeme like 'zz%'`,
    [tenantId],
  );
  assert.equal(stored?.count, 50_000);
  assert.deepEqual(await find(words[59_999] ?? ''), [299]);
});

let written: string[] = [];

/** Stores the chunks of a new document. */
async function write(
  texts: readonly string[],
  language = 'en',
  em: EntityManager = orm.em.fork(),
): Promise<string> {
  const fileId = randomUUID();
  const chunks = toChunks(
    fileId,
    withDictionaries(
      texts.map((content) => ({
        content,
        pageNumbers: [1],
        headingPath: [],
        tokenCount: 10,
        type: 'text' as const,
        role: 'body' as const,
        elements: [],
      })),
      language,
    ),
  );
  written = chunks.map(({ id }) => id);
  await em.execute(
    `insert into files (id, tenant_id, media_type, content_type, format, filename, tags, content_category, size_bytes,
       sha256, object_key, options, generation, seq, components, primary_status, created_at, updated_at)
     values (?, ?, 'document', 'text/plain', 'txt', 'words.txt', '{}', 'general', 1, md5('') || md5(''), 'none', '{}', 1,
       1, '{}', 'completed', now(), now())`,
    [fileId, tenantId],
  );
  await em.execute(`insert into document_details (file_id, page_count, profile) values (?, 1, '{}')`, [
    fileId,
  ]);
  await replaceChunks(em, { fileId, tenantId }, chunks);
  return fileId;
}

/** The places of the chunks found in the document that was written last. */
async function find(query: string, documentIds?: string[]): Promise<number[]> {
  const { hits } = await findByWords(orm.em.fork(), tenantId, { query, documentIds }, 10);
  return hits.map(({ id }) => written.indexOf(id)).filter((at) => at >= 0);
}

async function begun(): Promise<EntityManager> {
  const em = orm.em.fork();
  await em.begin();
  return em;
}

async function spellings(word: string): Promise<string[]> {
  const rows = await orm.em.execute<{ lexeme: string }[]>(
    'select lexeme from chunk_lexemes where tenant_id = ? and lexeme = ?',
    [tenantId, word],
  );
  return rows.map(({ lexeme }) => lexeme);
}
