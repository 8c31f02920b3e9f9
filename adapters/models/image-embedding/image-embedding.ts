/** Something that turns pictures into vectors that lie close together for pictures that look alike. */
export interface ImageEmbedding {
  /** Names the vectors: those of two models are not comparable. */
  model: string;
  dimension: number;
  /**
   * @param picture an encoded picture of our own making, 256 pixels suffice; strangers' bytes belong into a decoder child
   * @returns a vector of length 1, or of zeros for a picture without any feature
   */
  embed(picture: Uint8Array): Promise<number[]>;
}
