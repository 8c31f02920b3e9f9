import type { EntityManager } from '@mikro-orm/postgresql';
import { MAX_LISTED_TEXT } from '../../domain/limits.ts';
import type { RebuiltPage } from '../media/index-entries.ts';
import { saveSpellings } from './chunk-document.ts';
import { BEFORE_ALL } from '../shared/sql.ts';

const FILES_A_PAGE = 20;
const CHUNKS_A_STATEMENT = 500;
const PAGES_A_STATEMENT = 50;
const SPELLINGS_A_STATEMENT = 50_000;

/** The functions that define words, as last applied, and those by which the stored words were made. */
const [CURRENT, OF_STORED] = ['applied_at', 'rebuilt_at'].map(
  (at) =>
    `(select hash from schema_functions where name = 'words.sql' and ${at} is not null order by ${at} desc limit 1)`,
);

/** The hash of the functions that define words, if the stored words were made by others. */
export async function wordsToRebuild(em: EntityManager): Promise<string | undefined> {
  const [row] = await em.execute<{ hash: string | null }[]>(
    `select ${CURRENT} as hash where ${CURRENT} is distinct from ${OF_STORED}`,
  );
  return row?.hash ?? undefined;
}

/**
 * Makes the words of the next page of files of all tenants anew, in id order, those in the trash as well: of their names and
 * descriptions, their text, and its chunks. Idempotent, and safe to run beside uploads, whose words are made by the same functions.
 *
 * @param functions the hash of the functions; nothing is done once others have been applied
 */
export async function rebuildWordsPage(
  em: EntityManager,
  functions: string,
  after: string = BEFORE_ALL,
): Promise<RebuiltPage> {
  if ((await wordsToRebuild(em)) !== functions) return { indexed: 0, leftOut: [] };
  // Words for misspelt ones are added again with each document: nobody could tell which are still in use.
  if (after === BEFORE_ALL) await removeSpellings(em);
  const files = await em.execute<{ id: string }[]>(
    `select id from files where id > ? order by id limit ${FILES_A_PAGE}`,
    [after],
  );
  for (const { id } of files) {
    await rebuildChunks(em, id);
    await rebuildFile(em, id);
  }
  const last = files.at(-1);
  return {
    indexed: files.length,
    leftOut: [],
    ...(files.length === FILES_A_PAGE && last && { after: last.id }),
  };
}

/** Records that the stored words are those of the given functions, unless others have been applied meanwhile. */
export async function endWordsRebuild(em: EntityManager, functions: string): Promise<void> {
  await em.execute(
    `update schema_functions set rebuilt_at = clock_timestamp()
     where name = 'words.sql' and hash = ? and hash = ${CURRENT}`,
    [functions],
  );
}

async function removeSpellings(em: EntityManager): Promise<void> {
  for (let removed = 1; removed > 0;) {
    const rows = await em.execute<unknown[]>(
      `delete from chunk_lexemes
       where ctid = any(array(select ctid from chunk_lexemes limit ${SPELLINGS_A_STATEMENT})) returning 1`,
    );
    removed = rows.length;
  }
}

async function rebuildChunks(em: EntityManager, fileId: string): Promise<void> {
  for (let after: number | null = -1; after !== null;) {
    const [done]: { last: number | null }[] = await em.execute(
      `with part as materialized (
         select id, chunk_index, chunk_search(dictionary, heading_path, content) as words from document_chunks
         where file_id = ? and chunk_index > ? order by chunk_index limit ${CHUNKS_A_STATEMENT} for update),
       changed as (
         update document_chunks chunk set search = words from part
         where chunk.id = part.id and chunk.search is distinct from words)
       select max(chunk_index) as last from part`,
      [fileId, after],
    );
    after = done?.last ?? null;
  }
  await em.transactional((tx) => saveSpellings(tx, fileId));
}

/** The columns that Postgres derives from others are computed when these are set. */
async function rebuildFile(em: EntityManager, fileId: string): Promise<void> {
  await em.transactional(async (tx) => {
    // A run that has read the document again writes its words after these.
    await tx.execute('select from files where id = ? for update', [fileId]);
    const words = await documentWords(tx, fileId);
    await tx.execute(
      `update files set title = title, visible_text = visible_text,
         document_words = case when ?::text is null then document_words
           else search_visible_words(?) || strip(search_visible_words(?)) end
       where id = ?`,
      [words?.beginning ?? null, words?.beginning ?? null, words?.further ?? null, fileId],
    );
  });
}

/** The beginning of a document's text and the words that follow it, as far as lists have them; undefined without pages. */
async function documentWords(
  em: EntityManager,
  fileId: string,
): Promise<{ beginning: string; further: string } | undefined> {
  let beginning: string | undefined;
  const further = new Set<string>();
  let letters = 0;
  for (let after: number | null = 0; after !== null && letters < MAX_LISTED_TEXT;) {
    const [part]: { text: string | null; last: number | null }[] = await em.execute(
      `select string_agg(text, ' ' order by page_number) as text, max(page_number) as last
       from (select page_number, text from document_pages
         where file_id = ? and status = 'completed' and text is not null and page_number > ?
         order by page_number limit ${PAGES_A_STATEMENT}) as part`,
      [fileId, after],
    );
    after = part?.last ?? null;
    if (!part?.text) continue;
    const all: string = beginning === undefined ? part.text : `${beginning} ${part.text}`;
    beginning = all.slice(0, MAX_LISTED_TEXT);
    if (all.length <= MAX_LISTED_TEXT) continue;
    const rest = await em.execute<{ word: string }[]>(
      `select distinct word from string_to_table(search_fold(?), ' ') as word`,
      [all.slice(MAX_LISTED_TEXT)],
    );
    for (const { word } of rest) {
      if (!further.has(word)) letters += word.length + 1;
      further.add(word);
    }
  }
  return beginning === undefined ? undefined : { beginning, further: [...further].join(' ') };
}
