import type { EntityManager } from '@mikro-orm/postgresql';
import { DocumentChunk } from '../../db/entities/documents/document-chunk.ts';
import { DocumentDetails } from '../../db/entities/documents/document-details.ts';
import { DocumentPage } from '../../db/entities/documents/document-page.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { AppError, notFound } from '../../domain/app-error.ts';
import { readingNote } from 'darkroom-reader/document';
import type { EmbeddingStatus } from '../../domain/documents/split-element.ts';
import { pagesStatus, PAGE_STATUSES, type PageCounts, type PageStatus } from '../../domain/documents/page.ts';
import { findStep } from '../../domain/pipelines/index.ts';
import { isTerminal } from '../../domain/components.ts';
import { findFile } from '../files/find-file.ts';
import { locateElements, type LocatedElement } from './locate-elements.ts';

/** @throws AppError WRONG_MEDIA_TYPE for a file of another medium */
function requireDocument({ mediaType }: StoredFile, what: string): void {
  if (mediaType !== 'document') throw new AppError('WRONG_MEDIA_TYPE', `${mediaType} files have no ${what}`);
}

/**
 * A live document of the tenant.
 *
 * @throws the errors of findFile; AppError WRONG_MEDIA_TYPE
 */
export async function findDocument(
  em: EntityManager,
  tenantId: string,
  id: string,
  what: string,
): Promise<StoredFile> {
  const file = await findFile(em, tenantId, id);
  requireDocument(file, what);
  return file;
}

/**
 * A live document or link of the tenant: the media whose text is divided into chunks.
 *
 * @throws the errors of findFile; AppError WRONG_MEDIA_TYPE
 */
export async function findReadFile(
  em: EntityManager,
  tenantId: string,
  id: string,
  what: string,
): Promise<StoredFile> {
  const file = await findFile(em, tenantId, id);
  if (!findStep(file.mediaType, 'chunkDocument')) requireDocument(file, what);
  return file;
}

/** Sizes of documents, by file id; absent until inspection. */
export interface DocumentCounts {
  pageCount: number;
  chunkCount: number;
}

/** The sizes of a page of documents, in one statement. */
export async function countDocuments(
  em: EntityManager,
  fileIds: readonly string[],
): Promise<Map<string, DocumentCounts>> {
  if (fileIds.length === 0) return new Map();
  const rows = await em.execute<{ file_id: string; page_count: number; chunk_count: number }[]>(
    `select file_id, page_count,
       (select count(*)::int from document_chunks chunk where chunk.file_id = details.file_id) as chunk_count
     from document_details details where file_id in (${fileIds.map(() => '?').join(', ')})`,
    [...fileIds],
  );
  return new Map(
    rows.map((row) => [row.file_id, { pageCount: row.page_count, chunkCount: row.chunk_count }]),
  );
}

/** Bytes of text read at a time, plus the page that exceeds them. */
const WINDOW_BYTES = 256 * 1024;
const WINDOW_PAGES = 200;
const CHUNKS_AT_ONCE = 200;

/**
 * Selected pages of a document with their content, in order, a window at a time. Each window is a separate
 * statement, so that a slow reader holds no connection. Each page is returned as of its window.
 *
 * @param columns with `page_number` among them
 * @param among condition on the pages
 */
async function* walkPages<Row extends { page_number: number }>(
  em: EntityManager,
  fileId: string,
  { columns, among }: { columns: string; among: string },
): AsyncGenerator<Row[]> {
  for (let after = 0; ;) {
    const rows = await em.execute<Row[]>(
      `with sized as (
         select page_number, octet_length(text) as bytes from document_pages
         where file_id = ? and page_number > ? and ${among} order by page_number limit ?),
       summed as (select page_number, sum(bytes) over (order by page_number) - bytes as before from sized)
       select ${columns} from document_pages
       where file_id = ? and page_number > ? and ${among}
         and page_number <= (select max(page_number) from summed where before < ?)
       order by page_number`,
      [fileId, after, WINDOW_PAGES, fileId, after, WINDOW_BYTES],
    );
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    after = last.page_number;
  }
}

/** The text of all pages that have been read, in order, in pieces; empty lines separate the pages. */
export async function* readText(em: EntityManager, fileId: string): AsyncGenerator<string> {
  const pages = { columns: 'page_number, text', among: `status = 'completed' and text <> ''` };
  let before = '';
  for await (const rows of walkPages<{ page_number: number; text: string }>(em, fileId, pages)) {
    yield before + rows.map(({ text }) => text).join('\n\n');
    before = '\n\n';
  }
}

/** A document with its text; without details before inspection. */
export interface DocumentView {
  /** Read lazily; can be consumed once. */
  text: AsyncIterable<string>;
  details: DocumentDetails | null;
  chunkCount: number;
}

export async function readDocument(em: EntityManager, { id }: Pick<StoredFile, 'id'>): Promise<DocumentView> {
  const details = await em.findOne(DocumentDetails, { fileId: id });
  const chunkCount = await em.count(DocumentChunk, { fileId: id });
  return { text: readText(em, id), details, chunkCount };
}

/** The fields of a chunk in answers. */
export type ShownChunk = Pick<
  DocumentChunk,
  | 'id'
  | 'tenantId'
  | 'chunkIndex'
  | 'content'
  | 'pageNumbers'
  | 'headingPath'
  | 'tokenCount'
  | 'chunkType'
  | 'role'
  | 'embeddingStatus'
> & { located: LocatedElement[] };

/** The chunks of a document, or of a range of it, in order, two statements per batch. */
export async function* walkChunks(
  em: EntityManager,
  fileId: string,
  { offset, limit = Infinity }: { offset: number; limit?: number | undefined },
): AsyncGenerator<ShownChunk[]> {
  // Chunks are numbered without gaps.
  for (let [after, left] = [offset - 1, limit]; left > 0;) {
    const atOnce = Math.min(CHUNKS_AT_ONCE, left);
    const chunks = await em.execute<Omit<ShownChunk, 'located'>[]>(
      `select id, tenant_id as "tenantId", chunk_index as "chunkIndex", content, page_numbers as "pageNumbers",
         heading_path as "headingPath", token_count as "tokenCount", chunk_type as "chunkType",
         role, embedding_status as "embeddingStatus"
       from document_chunks where file_id = ? and chunk_index > ? order by chunk_index limit ?`,
      [fileId, after, atOnce],
    );
    const last = chunks.at(-1);
    if (last) {
      const located = await locateElements(em, last.tenantId, chunks);
      yield chunks.map((chunk) => ({ ...chunk, located: located.get(chunk.id) ?? [] }));
    }
    if (!last || chunks.length < atOnce) return;
    after = last.chunkIndex;
    left -= chunks.length;
  }
}

/** Counts the chunks of a document by embedding status. */
export async function countChunks(
  em: EntityManager,
  fileId: string,
): Promise<Record<EmbeddingStatus, number>> {
  const rows = await em.execute<{ status: EmbeddingStatus; chunks: number }[]>(
    `select embedding_status as status, count(*)::int as chunks from document_chunks where file_id = ?
     group by embedding_status`,
    [fileId],
  );
  const of = (status: EmbeddingStatus) => rows.find((row) => row.status === status)?.chunks ?? 0;
  return { completed: of('completed'), pending: of('pending'), failed: of('failed') };
}

/** The combined progress of the pages of a document. */
export interface DigitizationState {
  status: PageStatus;
  counts: PageCounts;
  /** Note on how the document was read, if not as its type suggests. */
  note: string | null;
}

export async function readDigitization(
  em: EntityManager,
  { id, components }: StoredFile,
): Promise<DigitizationState> {
  const counts = await countPages(em, id);
  const ended = isTerminal(components.text_extraction?.status ?? 'pending');
  return { status: pagesStatus(counts, ended), counts, note: await readNote(em, id) };
}

/** What readers of a document or a page should know of how it was read; null if nothing. */
export async function readNote(em: EntityManager, fileId: string): Promise<string | null> {
  const details = await em.findOne(DocumentDetails, { fileId }, { fields: ['profile'] });
  return details && readingNote(details.profile);
}

/** The pages of a document with their elements, in order, in batches. */
export async function* readPagesInOrder(em: EntityManager, fileId: string): AsyncGenerator<DocumentPage[]> {
  const pages = { columns: '*', among: 'true' };
  for await (const rows of walkPages<{ page_number: number }>(em, fileId, pages)) {
    // A single EntityManager for all windows would retain their rows.
    const own = em.fork();
    yield rows.map((row) => own.map(DocumentPage, row));
  }
}

/** The status of every page of a document, in order. */
export async function readPageStatuses(
  em: EntityManager,
  fileId: string,
): Promise<{ pageNumber: number; status: PageStatus }[]> {
  return em.execute(
    'select page_number as "pageNumber", status from document_pages where file_id = ? order by page_number',
    [fileId],
  );
}

/** @throws AppError NOT_FOUND: "404 when no digitization exists for that page" */
export async function readPage(
  em: EntityManager,
  { id: fileId }: StoredFile,
  given: string,
): Promise<DocumentPage> {
  // Larger numbers exceed the range of the column.
  const pageNumber = /^[1-9]\d{0,8}$/.test(given) ? Number(given) : undefined;
  const page = pageNumber === undefined ? null : await em.findOne(DocumentPage, { fileId, pageNumber });
  if (!page) throw notFound('page');
  return page;
}

/** Counts the pages of a document by status. */
export async function countPages(em: EntityManager, fileId: string): Promise<PageCounts> {
  const rows = await em.execute<{ status: PageStatus; pages: number }[]>(
    'select status, count(*)::int as pages from document_pages where file_id = ? group by status',
    [fileId],
  );
  const of = (status: PageStatus) => rows.find((row) => row.status === status)?.pages ?? 0;
  return Object.fromEntries(PAGE_STATUSES.map((status) => [status, of(status)])) as Record<
    PageStatus,
    number
  >;
}
