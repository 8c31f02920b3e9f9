/** Turns pictures into vectors that are close together for pictures that look alike. */
export interface ImageEmbedding {
  /** Identifies the vectors: those of two models are not comparable. */
  model: string;
  dimension: number;
  /**
   * @param picture encoded by us, 256 pixels suffice; untrusted bytes belong in a decoder child
   * @returns a unit vector, or zeros for a picture without any feature
   */
  embed(picture: Uint8Array): Promise<number[]>;
}
