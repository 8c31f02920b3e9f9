import type { z } from 'zod';
import type { DocumentPage } from '../../../db/entities/documents/document-page.ts';
import type { StoredFile } from '../../../db/entities/files/stored-file.ts';
import type { ChunkType } from '../../../domain/documents/split-element.ts';
import type { ElementType } from 'darkroom-reader/document';
import { elementId, type PageStatus } from '../../../domain/documents/page.ts';
import { componentOf } from '../../../domain/pipelines/index.ts';
import type {
  DigitizationState,
  DocumentView,
  ShownChunk,
} from '../../../services/documents/read-document.ts';
import { listOf, textOf, type Streaming } from '../../http/streamed.ts';
import type { LocatedElement } from '../../../services/documents/locate-elements.ts';
import { presentContent } from './present-element.ts';
import type { ChunkHit } from '../../../services/documents/search-chunks.ts';
import type {
  chunksAnswer,
  searchAnswer,
  digitization,
  digitizationStatus,
  digitizedPage,
  documentText,
} from './schema.ts';

/** The text and the metadata of a document. */
export async function presentText(
  file: StoredFile,
  { text, details }: DocumentView,
): Promise<Streaming<z.input<typeof documentText>>> {
  return {
    document_id: file.id,
    filename: file.filename,
    text: await textOf(text),
    page_count: details?.pageCount ?? null,
    metadata: {
      language: details?.language ?? null,
      title: details?.title ?? null,
      author: details?.author ?? null,
      created_at: details?.statedCreatedAt ?? null,
    },
  };
}

/** @param vector to show, if requested; null if the chunk has none */
export function presentChunk(
  file: StoredFile,
  chunk: ShownChunk,
  vector?: readonly number[] | null,
): z.input<typeof chunksAnswer>['chunks'][number] {
  return {
    chunk_id: chunk.id,
    document_id: file.id,
    document_filename: file.filename,
    chunk_index: chunk.chunkIndex,
    content: chunk.content,
    page_numbers: pagesOf(file.mediaType, chunk.pageNumbers),
    heading_hierarchy: chunk.headingPath,
    elements: elementsOf(file.mediaType, chunk.located),
    similarity_score: null,
    metadata: {
      token_count: chunk.tokenCount,
      chunk_type: chunk.chunkType,
      role: chunk.role,
      embedding_status: chunk.embeddingStatus,
    },
    ...(vector !== undefined && { embedding: vector as number[] | null }),
  };
}

export function presentHit(hit: ChunkHit): z.input<typeof searchAnswer>['items'][number] {
  return {
    chunk_id: hit.id,
    document_id: hit.documentId,
    document_filename: hit.filename,
    source_url: hit.sourceUrl,
    chunk_index: hit.index,
    content: hit.content,
    page_numbers: pagesOf(hit.mediaType, hit.pageNumbers),
    heading_hierarchy: hit.headingPath,
    elements: elementsOf(hit.mediaType, hit.elements),
    score: hit.score,
    similarity_score: hit.similarity,
    metadata: { chunk_type: hit.type as ChunkType, role: hit.role },
  };
}

/** The text of a link is stored as a single page, whose number is not shown. */
function pagesOf(mediaType: string, pageNumbers: number[]): number[] {
  return componentOf(mediaType, 'digitization') ? pageNumbers : [];
}

/** Only documents have pages to show them on. */
function elementsOf(
  mediaType: string,
  elements: readonly LocatedElement[],
): z.input<typeof searchAnswer>['items'][number]['elements'] {
  if (!componentOf(mediaType, 'digitization')) return [];
  return elements.map(({ page, position, box: { x, y, w, h } }) => ({
    element_id: elementId(page, position),
    page_number: page,
    bounding_box: { x, y, w, h },
  }));
}

/** @param types only elements of these kinds; without it, all */
export function presentPage(
  page: DocumentPage,
  types?: readonly ElementType[],
): z.input<typeof digitizedPage> {
  return {
    page_number: page.pageNumber,
    status: page.status,
    element_count: page.elements.length,
    elements: page.elements.flatMap((element, position) => {
      if (types && !types.includes(element.type)) return [];
      const { x, y, w, h } = element.box;
      return {
        element_id: elementId(page.pageNumber, position),
        ...presentContent(element),
        bounding_box: { x, y, w, h },
      };
    }),
    error_message: page.error?.message ?? null,
    content_hash: page.contentHash ?? null,
    source: page.source ?? null,
    layout: page.source ? presentLayout(page) : null,
  };
}

function presentLayout({
  laidOutBy,
  layoutConfidence,
  layoutDue,
  layoutError,
}: DocumentPage): z.input<typeof digitizedPage>['layout'] {
  return {
    provider: laidOutBy?.provider ?? 'local',
    model: laidOutBy?.model ?? 'reader-v1',
    prompt_version: laidOutBy?.promptVersion ?? null,
    confidence: layoutConfidence ?? null,
    is_due: layoutDue,
    error_message: layoutError?.message ?? null,
  };
}

export async function presentDigitization(
  file: StoredFile,
  { status, counts, note }: DigitizationState,
  pages: AsyncIterable<readonly DocumentPage[]>,
  types: readonly ElementType[] | undefined,
): Promise<Streaming<z.input<typeof digitization>>> {
  const counted = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const { list, total } = await listOf(pages, (page) => presentPage(page, types), counted);
  return {
    document_id: file.id,
    status,
    total_pages: total,
    completed_pages: counts.completed,
    failed_pages: counts.failed,
    reading_note: note,
    pages: list,
  };
}

export function presentDigitizationStatus(
  file: StoredFile,
  { status }: DigitizationState,
  pages: readonly { pageNumber: number; status: PageStatus }[],
): z.input<typeof digitizationStatus> {
  return {
    document_id: file.id,
    status,
    total_pages: pages.length,
    page_statuses: Object.fromEntries(pages.map((page) => [String(page.pageNumber), page.status])),
  };
}
