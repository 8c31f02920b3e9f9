import type { EntityManager } from '@mikro-orm/postgresql';
import { readingNote } from '../../adapters/document-reader/document-reader.ts';
import { DocumentChunk } from '../../db/entities/documents/document-chunk.ts';
import { DocumentDetails } from '../../db/entities/documents/document-details.ts';
import { DocumentPage } from '../../db/entities/documents/document-page.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { AppError, notFound } from '../../domain/app-error.ts';
import type { EmbeddingStatus } from '../../domain/documents/chunk.ts';
import {
  pagesStatus,
  PAGE_STATUSES,
  type PageCounts,
  type PageStatus,
} from '../../domain/documents/page-status.ts';
import { isTerminal } from '../../domain/components.ts';
import { findFile } from '../files/find-file.ts';

/** @throws AppError WRONG_MEDIA_TYPE for a file of another medium */
export function requireDocument({ mediaType }: StoredFile, what: string): void {
  if (mediaType !== 'document') throw new AppError('WRONG_MEDIA_TYPE', `${mediaType} files have no ${what}`);
}

/**
 * A live document of the tenant.
 *
 * @throws as findFile; AppError WRONG_MEDIA_TYPE
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

/** Sizes of documents, by file id; absent until they are inspected. */
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

/** The text of all pages that have been read, in order. */
export async function readText(em: EntityManager, fileId: string): Promise<string> {
  const [row] = await em.execute<{ text: string | null }[]>(
    `select string_agg(text, E'\\n\\n' order by page_number) filter (where text <> '') as text
     from document_pages where file_id = ? and status = 'completed'`,
    [fileId],
  );
  return row?.text ?? '';
}

/** A document with its text; without details before it was inspected. */
export interface DocumentView {
  text: string;
  details: DocumentDetails | null;
  chunkCount: number;
}

export async function readDocument(em: EntityManager, { id }: Pick<StoredFile, 'id'>): Promise<DocumentView> {
  const details = await em.findOne(DocumentDetails, { fileId: id });
  const chunkCount = await em.count(DocumentChunk, { fileId: id });
  return { text: await readText(em, id), details, chunkCount };
}

/** The chunks of a document, in order, and how many of them have which embedding status. */
export async function readChunks(
  em: EntityManager,
  { id: fileId }: Pick<StoredFile, 'id'>,
): Promise<{ chunks: DocumentChunk[]; counts: Record<EmbeddingStatus, number> }> {
  const chunks = await em.find(DocumentChunk, { fileId }, { orderBy: { chunkIndex: 'asc' } });
  const of = (status: EmbeddingStatus) =>
    chunks.filter(({ embeddingStatus }) => embeddingStatus === status).length;
  return { chunks, counts: { completed: of('completed'), pending: of('pending'), failed: of('failed') } };
}

/** The pages of a document and their status together. */
export interface DigitizationView {
  status: PageStatus;
  counts: PageCounts;
  pages: DocumentPage[];
  /** How the document was read otherwise than its type says. */
  note: string | null;
}

/** @param full false for the status of each page alone */
export async function readDigitization(
  em: EntityManager,
  { id: fileId, components }: StoredFile,
  { full }: { full: boolean },
): Promise<DigitizationView> {
  const pages = await em.find(
    DocumentPage,
    { fileId },
    { orderBy: { pageNumber: 'asc' }, ...(!full && { fields: ['pageNumber', 'status', 'error'] }) },
  );
  const of = (status: PageStatus) => pages.filter((page) => page.status === status).length;
  const counts = Object.fromEntries(PAGE_STATUSES.map((status) => [status, of(status)])) as Record<
    PageStatus,
    number
  >;
  const details = full && (await em.findOne(DocumentDetails, { fileId }, { fields: ['profile'] }));
  const note = details ? readingNote(details.profile) : null;
  const ended = isTerminal(components.text_extraction?.status ?? 'pending');
  return { status: pagesStatus(counts, ended), counts, pages: pages as DocumentPage[], note };
}

/** @throws AppError NOT_FOUND: "404 when no digitization exists for that page" */
export async function readPage(
  em: EntityManager,
  { id: fileId }: StoredFile,
  given: string,
): Promise<DocumentPage> {
  // Larger numbers are out of the range of the column.
  const pageNumber = /^[1-9]\d{0,8}$/.test(given) ? Number(given) : undefined;
  const page = pageNumber === undefined ? null : await em.findOne(DocumentPage, { fileId, pageNumber });
  if (!page) throw notFound('page');
  return page;
}

/** How many pages of a document have which status. */
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
