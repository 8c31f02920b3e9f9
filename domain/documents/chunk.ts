/** Content types of a chunk; `mixed` combines several of them. Headings count as text. */
export const CHUNK_TYPES = ['text', 'list', 'table', 'mixed'] as const;
export type ChunkType = (typeof CHUNK_TYPES)[number];

export const EMBEDDING_STATUSES = ['pending', 'completed', 'failed'] as const;
export type EmbeddingStatus = (typeof EMBEDDING_STATUSES)[number];

/** A part of a document's text that search returns as a unit. */
export interface Chunk {
  content: string;
  /** In ascending order, without duplicates. */
  pageNumbers: number[];
  /** The headings above its beginning, outermost first; a heading at its very beginning is the last of them. */
  headingPath: string[];
  tokenCount: number;
  type: ChunkType;
}
