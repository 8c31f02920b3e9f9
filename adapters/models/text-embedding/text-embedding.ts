/** What a text is to a search: many models embed questions and the texts that answer them differently. */
export type TextRole = 'query' | 'passage';

/** How much similarities count beside words, which count 1: measured on the development questions of `npm run quality:documents`. */
export interface MeaningWeight {
  /** For a question of which the best text by words has none. */
  withoutWords: number;
  /** For one of which it has all. */
  withWords: number;
  /** If the best score is lower, nothing is near. */
  near: number;
  /** Similarity that means nothing, if it is not to be measured. */
  unrelated?: number;
}

/** Turns texts into vectors that are close together for similar meanings. */
export interface TextEmbedding {
  /** Identifies the vectors: those of two models are not comparable. */
  model: string;
  dimension: number;
  /** ISO 639-1 code of the only supported language; undefined for a multilingual model. */
  language: string | undefined;
  /** Cosine similarity of a question and a text that mean the same, if it is not 1; similarities are shares of it. */
  mostSimilar?: number | undefined;
  /** Undefined for a model that was not measured. */
  weight?: MeaningWeight | undefined;
  /**
   * Unit vectors of the texts, in order.
   *
   * @throws ModelError for a remote model, and for a local one that cannot be loaded
   */
  embed(texts: readonly string[], options: { role: TextRole; signal: AbortSignal }): Promise<number[][]>;
  close(): Promise<void>;
}
