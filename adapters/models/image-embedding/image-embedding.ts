/** Turns pictures into vectors that are close together for pictures that look alike. */
export interface ImageEmbedding {
  /** Names the vectors: those of two models are not comparable. */
  model: string;
  dimension: number;
  /**
   * @param picture a picture that we encoded, 256 pixels suffice; untrusted bytes belong in a decoder child
   * @returns a vector of length 1, or of zeros for a picture without any feature
   */
  embed(picture: Uint8Array): Promise<number[]>;
}
