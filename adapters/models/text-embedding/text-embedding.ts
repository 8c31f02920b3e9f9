/** What a text is to a search: many models embed questions and the texts that answer them differently. */
export type TextRole = 'query' | 'passage';

/** Turns texts into vectors that are close together for similar meanings. */
export interface TextEmbedding {
  /** Identifies the vectors: those of two models are not comparable. */
  model: string;
  dimension: number;
  /** ISO 639-1 code of the only supported language; undefined for a multilingual model. */
  language: string | undefined;
  /**
   * Unit vectors of the texts, in order.
   *
   * @throws ModelError for a remote model, and for a local one that cannot be loaded
   */
  embed(texts: readonly string[], options: { role: TextRole; signal: AbortSignal }): Promise<number[][]>;
  close(): Promise<void>;
}
