/** What a chunk consists of; `mixed` of more than one of them. Headings count as text. */
export const CHUNK_TYPES = ['text', 'list', 'table', 'mixed'] as const;
export type ChunkType = (typeof CHUNK_TYPES)[number];

export const EMBEDDING_STATUSES = ['pending', 'completed', 'failed'] as const;
export type EmbeddingStatus = (typeof EMBEDDING_STATUSES)[number];

/** A part of a document's text that search finds as one. */
export interface Chunk {
  content: string;
  /** In order, without repetition. */
  pageNumbers: number[];
  /** The headings above its beginning, outermost first; a heading that it begins with is the last of them. */
  headingPath: string[];
  tokenCount: number;
  type: ChunkType;
}
