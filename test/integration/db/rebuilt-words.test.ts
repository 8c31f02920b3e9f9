import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { applyFunctions, schemaFunctions } from '../../../db/apply-functions.ts';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm, type Orm } from '../../../db/create-orm.ts';
import { createMigratingOrm } from '../../../db/migrator.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import {
  endWordsRebuild,
  rebuildWordsPage,
  wordsToRebuild,
} from '../../../services/documents/rebuild-words.ts';
import { createEngine } from '../../../temporal/client.ts';
import { temporalConfig } from '../../../temporal/config.ts';
import { REBUILD_INDEX, rebuildWorkflowId } from '../../../temporal/contract/indexes.ts';
import { startWorkflow } from '../../../temporal/start-workflow.ts';

/** Words that were made by functions of before, in a database of their own. */
const config = readConfig([databaseConfig], process.env);
const name = `rebuilt_words_${randomUUID().slice(0, 8)}`;
const server = createOrm(config);
const tenant = randomUUID();
/** More than a page of files, of which one has more words than lists keep the places of. */
const FILES = 21;
let orm: Orm;
const em = () => orm.em.fork();
const WORDS = schemaFunctions().get('words.sql') ?? '';

async function applied(hash: string, sql: string): Promise<void> {
  await em().execute(sql);
  await em().execute(
    `insert into schema_functions (name, hash, applied_at) values ('words.sql', ?, clock_timestamp())`,
    [hash],
  );
}

async function count(sql: string, values: readonly unknown[] = []): Promise<number> {
  const [row] = await em().execute<{ count: string }[]>(`select count(*) ${sql}`, [...values]);
  return Number(row?.count);
}

async function rebuild(functions: string): Promise<number> {
  let done = 0;
  for (let next: string | undefined = undefined, first = true; first || next !== undefined; first = false) {
    const page = await rebuildWordsPage(em(), functions, next);
    done += page.indexed;
    next = page.after;
  }
  await endWordsRebuild(em(), functions);
  return done;
}

before(async () => {
  await server.em.execute(`create database ${name}`);
  const url = new URL(config.DATABASE_URL);
  url.pathname = name;
  orm = createMigratingOrm({ ...config, DATABASE_URL: url.href });
  await orm.migrator.up();
  await applyFunctions(em());
});
after(async () => {
  await orm.close(true);
  await server.em.execute(`drop database ${name}`);
  await server.close(true);
});

test('words of names, texts and chunks are made anew by changed functions, and misspelt ones stand for the new', async () => {
  assert.equal(await wordsToRebuild(em()), undefined, 'an empty database has no words of others');
  await em().execute(
    `insert into tenants (id, name, tier, created_at) values ('${tenant}', 'words', 'free', now());
     insert into files (id, tenant_id, media_type, content_type, format, filename, title, tags, content_category,
       size_bytes, sha256, object_key, options, generation, seq, components, primary_status, created_at, updated_at)
     select gen_random_uuid(), '${tenant}', 'document', 'text/plain', 'txt', 'grün.txt', 'Grün', '{}', 'general', 1,
       md5('') || md5(''), 'none', '{}', 1, 1, '{}', 'completed', now(), now() from generate_series(1, ${FILES});
     insert into document_pages (file_id, page_number, status, needs_ocr, elements, text, attempts, updated_at)
     select id, page, 'completed', false, '[]',
       repeat('Nuñez schreibt ', case when id = (select min(id::text)::uuid from files) then 3000 else 1 end)
         || 'Seite' || page || ' ende', 1, now()
     from files, generate_series(1, 3) as page;
     insert into document_chunks (id, file_id, tenant_id, chunk_index, content, page_numbers, heading_path, token_count,
       chunk_type, dictionary, embedding_status, collection, search)
     select gen_random_uuid(), id, tenant_id, at, 'Señor Nuñez schreibt grün', '{1}', '{Übergabe}', 9, 'text', 'simple',
       'pending', null, chunk_search('simple', '{Übergabe}', 'Señor Nuñez schreibt grün')
     from files, generate_series(0, 1) as at;
     insert into chunk_lexemes (tenant_id, dictionary, lexeme)
     select distinct tenant_id, dictionary, lexeme from document_chunks, spellable_lexemes(search) as lexeme;`,
  );
  await applied('n as m', WORDS.replace("'ةς', 'هσ'", "'ةςn', 'هσm'"));
  assert.equal(await wordsToRebuild(em()), 'n as m');
  assert.equal(await rebuild('n as m'), FILES);
  assert.equal(await wordsToRebuild(em()), undefined);
  assert.equal(
    await count(`from document_chunks where search @@ to_tsquery('simple', 'mumez & semor & grum')`),
    2 * FILES,
  );
  assert.equal(
    await count(`from files where search_all @@ to_tsquery('simple', 'grum') and search_names like '%grum%'`),
    FILES,
  );
  const listed = `from files where search_all @@ to_tsquery('english', 'mumez & seite1 & seite3 & emde')`;
  assert.equal(await count(listed), FILES, 'also words beyond the beginning');
  const spelt = await em().execute<{ lexeme: string }[]>('select lexeme from chunk_lexemes order by lexeme');
  assert.deepEqual(
    spelt.map(({ lexeme }) => lexeme),
    ['grum', 'mumez', 'schreibt', 'semor', 'ubergabe'],
  );
});

test('a rebuild ends when other functions have been applied, and those of before are theirs again', async () => {
  await applied('of a later version', WORDS);
  assert.equal(await rebuild('n as m'), 0);
  assert.equal(await wordsToRebuild(em()), 'of a later version');
  assert.equal(await rebuild('of a later version'), FILES);
  assert.equal(await rebuild('of a later version'), 0, 'nothing is left to do');
  assert.equal(await count(`from document_chunks where search @@ to_tsquery('simple', 'nunez')`), 2 * FILES);
});

test('a workflow does the pages, and leaves functions that are not those of the database', async () => {
  const engine = createEngine(readConfig([temporalConfig], process.env));
  try {
    const request = { index: 'words', collection: 'of no version' } as const;
    await startWorkflow(engine, REBUILD_INDEX, request, { deadlineMs: 60_000 });
    assert.equal(await engine.client.workflow.getHandle(rebuildWorkflowId('words')).result(), 0);
  } finally {
    await engine.close();
  }
});
