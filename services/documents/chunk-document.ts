import { createHash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { DividedChunk } from '../../engines/text-work/languages.ts';
import { nameUuid } from '../shared/sql.ts';
import type { SettledDocument } from '../../engines/text-work/tasks.ts';
import type { TextWork } from '../../engines/text-work/text-work.ts';
import { DocumentDetails } from '../../db/entities/documents/document-details.ts';
import { DocumentPage } from '../../db/entities/documents/document-page.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { NO_TOKENS } from '../../domain/token-usage.ts';
import { recordFileOperation, type FileOperationRecord } from '../usage/record-operation.ts';
import type { PageContent } from 'darkroom-reader/document';
import { findTarget, type FileTarget } from '../processing/file-target.ts';
import { recordStep } from '../processing/record-step.ts';
import { findDetails } from './document-target.ts';
import { saveContent } from './record-pages.ts';

/** Bounds the time of a statement, also for chunks of many rare words. */
const ROWS_A_STATEMENT = 1000;
/** Words of a document for which misspelt ones may stand; a novel has a fifth as many. */
const MOST_SPELLINGS = 50_000;

/** A chunk with its id. */
interface NewChunk extends DividedChunk {
  id: string;
}

/** Derives the ids of chunks from their content and its earlier occurrences. */
export function toChunks(fileId: string, chunks: readonly DividedChunk[]): NewChunk[] {
  const seen = new Map<string, number>();
  return chunks.map((chunk) => {
    const path = chunk.headingPath.join('\n');
    const hash = createHash('sha256').update(`${path}\0${chunk.content}`).digest('hex');
    const occurrence = seen.get(hash) ?? 0;
    seen.set(hash, occurrence + 1);
    return { ...chunk, id: nameUuid(`${fileId}/${hash}/${occurrence}`) };
  });
}

/**
 * Settles the properties that depend on all pages, such as the language of the document, divides its text into chunks, and
 * stores its words for searches of lists. A chunk with unchanged text keeps its row and its vector; stale vectors are
 * removed when the other chunks are indexed.
 *
 * @throws FileGone, TextOverBudget
 */
export async function chunkDocument(
  { em, text }: { em: EntityManager; text: TextWork },
  target: FileTarget,
  signal: AbortSignal,
): Promise<void> {
  const { fileId, tenantId } = target;
  const file = await findTarget(em, target);
  const { language } = await findDetails(em, fileId);
  const pages = await em.find(
    DocumentPage,
    { fileId, status: 'completed' },
    { orderBy: { pageNumber: 'asc' } },
  );
  const read = pages.map(({ pageNumber, source, elements }): PageContent => ({
    pageNumber,
    source: source ?? 'document',
    elements,
  }));
  const settled = await text.settleDocument(
    { pages: read, language: language ?? null },
    { tenantId, signal },
  );
  await recordStep(em, target, {
    async save(tx) {
      for (const page of settled.changed) await saveContent(tx, fileId, page);
      await replaceChunks(tx, { fileId, tenantId }, toChunks(fileId, settled.chunks));
      await saveWords(tx, fileId, settled);
      await tx.nativeUpdate(DocumentDetails, { fileId }, { language: settled.language });
      // A run that only makes chunks again has read no page.
      await recordFileOperation(tx, file, digitization(file), { ifCharged: true });
    },
  });
}

/** The operation of reading a document's pages, which its run completes before the first chunk is made. */
function digitization({ components, createdAt }: StoredFile): FileOperationRecord {
  const { queuedAt, endedAt } = components.text_extraction ?? {};
  const end = endedAt ? new Date(endedAt) : new Date();
  const durationMs = Math.max(0, end.getTime() - (queuedAt ? new Date(queuedAt) : createdAt).getTime());
  return { operation: 'digitize', provider: 'local', model: 'reader-v1', usage: NO_TOKENS, durationMs };
}

/** Replaces the chunks of a document. */
export async function replaceChunks(
  tx: EntityManager,
  { fileId, tenantId }: { fileId: string; tenantId: string },
  chunks: readonly NewChunk[],
): Promise<void> {
  const rows = chunks.map((chunk, index) => ({
    id: chunk.id,
    index,
    content: chunk.content,
    pages: chunk.pageNumbers,
    path: chunk.headingPath,
    tokens: chunk.tokenCount,
    type: chunk.type,
    role: chunk.role,
    elements: chunk.elements,
    dictionary: chunk.dictionary,
  }));
  for (let first = 0; first < rows.length; first += ROWS_A_STATEMENT) {
    await tx.execute(
      `insert into document_chunks as old
         (id, file_id, tenant_id, chunk_index, content, page_numbers, heading_path, token_count, chunk_type, role, elements,
          dictionary, embedding_status, collection, search)
       select id, ?, ?, index, content, pages, path, tokens, type, role, elements, dictionary, 'pending', null,
         chunk_search(dictionary, path, content)
       from jsonb_to_recordset(?::jsonb) as made
         (id uuid, index int, content text, pages int[], path text[], tokens int, type text, role text,
          elements int[], dictionary text)
       on conflict (id) do update set
         chunk_index = excluded.chunk_index, page_numbers = excluded.page_numbers, chunk_type = excluded.chunk_type,
         role = excluded.role, elements = excluded.elements, search = excluded.search, dictionary = excluded.dictionary
       where old.file_id = excluded.file_id`,
      [fileId, tenantId, JSON.stringify(rows.slice(first, first + ROWS_A_STATEMENT))],
    );
  }
  await saveSpellings(tx, fileId);
  // Last, since the deletion of words waits for no other document, but holds them.
  await tx.execute(
    `with gone as (
       delete from document_chunks
       where file_id = ? and id not in (select jsonb_array_elements_text(?::jsonb)::uuid) returning id)
     update document_details set stale_chunks = stale_chunks || array(select id from gone) where file_id = ?`,
    [fileId, JSON.stringify(chunks.map(({ id }) => id)), fileId],
  );
}

/** Stores the words of a document for which misspelt ones may stand. */
export async function saveSpellings(tx: EntityManager, fileId: string): Promise<void> {
  // In one order, so that two documents cannot wait for each other. Known words are locked, so that no deletion of another
  // document removes them before this one is committed.
  await tx.execute(
    `with words as materialized (
       select distinct tenant_id, dictionary, lexeme
       from document_chunks, spellable_lexemes(search) as lexeme where file_id = ? limit ${MOST_SPELLINGS}),
     added as (
       insert into chunk_lexemes (tenant_id, dictionary, lexeme)
       select * from words order by tenant_id, dictionary, lexeme
       on conflict do nothing)
     select count(*) from (
       select from chunk_lexemes known join words using (tenant_id, dictionary, lexeme)
       order by tenant_id, dictionary, lexeme for key share of known) as locked`,
    [fileId],
  );
}

/**
 * Stores the words by which lists find a document. Words beyond its beginning are stored without positions: that bounds
 * the tsvector, which every hit of a search may read in full.
 */
async function saveWords(
  tx: EntityManager,
  fileId: string,
  { beginning, further }: Pick<SettledDocument, 'beginning' | 'further'>,
): Promise<void> {
  await tx.execute(
    'update files set document_words = search_visible_words(?) || strip(search_visible_words(?)) where id = ?',
    [beginning, further, fileId],
  );
}
