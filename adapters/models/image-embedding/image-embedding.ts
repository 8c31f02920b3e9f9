/** Turns images into vectors that are close together for images that look alike. */
export interface ImageEmbedding {
  /** Identifies the vectors: those of two models are not comparable. */
  model: string;
  dimension: number;
  /**
   * @param image encoded by us, 256 pixels suffice; untrusted bytes belong in a decoder child
   * @returns a unit vector, or zeros for an image without any feature
   */
  embed(image: Uint8Array): Promise<number[]>;
}
