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
   * @throws ModelError for a remote model
   */
  embed(texts: readonly string[], options: { signal: AbortSignal }): Promise<number[][]>;
  close(): Promise<void>;
}
