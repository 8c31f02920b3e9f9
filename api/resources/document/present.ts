import type { DocumentChunk } from '../../../db/entities/documents/document-chunk.ts';
import type { DocumentPage } from '../../../db/entities/documents/document-page.ts';
import type { StoredFile } from '../../../db/entities/files/stored-file.ts';
import type { DigitizationView, DocumentView } from '../../../services/documents/read-document.ts';
import type { ChunkHit } from '../../../services/documents/search-chunks.ts';

/** The text of a document, and what the document states of itself. */
export function presentText(file: StoredFile, { text, details }: DocumentView) {
  return {
    document_id: file.id,
    filename: file.filename,
    text,
    page_count: details?.pageCount ?? null,
    metadata: {
      language: details?.language ?? null,
      title: details?.title ?? null,
      author: details?.author ?? null,
      created_at: details?.statedCreatedAt ?? null,
    },
  };
}

/** @param vectors by chunk id, if they are to be shown */
export function presentChunk(
  file: StoredFile,
  chunk: DocumentChunk,
  vectors?: ReadonlyMap<string, number[]>,
) {
  return {
    chunk_id: chunk.id,
    document_id: file.id,
    document_filename: file.filename,
    chunk_index: chunk.chunkIndex,
    content: chunk.content,
    page_numbers: chunk.pageNumbers,
    heading_hierarchy: chunk.headingPath,
    similarity_score: null,
    metadata: {
      token_count: chunk.tokenCount,
      chunk_type: chunk.chunkType,
      embedding_status: chunk.embeddingStatus,
    },
    ...(vectors && { embedding: vectors.get(chunk.id) ?? null }),
  };
}

export function presentHit(hit: ChunkHit) {
  return {
    chunk_id: hit.id,
    document_id: hit.documentId,
    document_filename: hit.filename,
    chunk_index: hit.index,
    content: hit.content,
    page_numbers: hit.pageNumbers,
    heading_hierarchy: hit.headingPath,
    similarity_score: hit.similarity,
    metadata: { chunk_type: hit.type },
  };
}

export function presentPage(page: DocumentPage) {
  return {
    page_number: page.pageNumber,
    status: page.status,
    element_count: page.elements.length,
    elements: page.elements.map(({ type, content, box, metadata }) => ({
      type,
      content,
      bounding_box: { x: box.x, y: box.y, w: box.w, h: box.h },
      metadata,
    })),
    error_message: page.error?.message ?? null,
    content_hash: page.contentHash ?? null,
    source: page.source ?? null,
    layout: page.source ? presentLayout(page) : null,
  };
}

function presentLayout({ laidOutBy, layoutDue, layoutError }: DocumentPage) {
  return {
    provider: laidOutBy?.provider ?? 'local',
    model: laidOutBy?.model ?? 'reader-v1',
    prompt_version: laidOutBy?.promptVersion ?? null,
    is_due: layoutDue,
    error_message: layoutError?.message ?? null,
  };
}

export function presentDigitization(file: StoredFile, { status, counts, pages, note }: DigitizationView) {
  return {
    document_id: file.id,
    status,
    total_pages: pages.length,
    completed_pages: counts.completed,
    failed_pages: counts.failed,
    reading_note: note,
    pages: pages.map(presentPage),
  };
}

export function presentDigitizationStatus(file: StoredFile, { status, pages }: DigitizationView) {
  return {
    document_id: file.id,
    status,
    total_pages: pages.length,
    page_statuses: Object.fromEntries(pages.map((page) => [String(page.pageNumber), page.status])),
  };
}
