import type { VariantType } from '../../../domain/image-analysis.ts';

/** Turns images into vectors that are close together for similar images. */
export interface ImageEmbedding {
  /** Identifies the vectors: those of two models are not comparable. */
  model: string;
  dimension: number;
  /** The smallest variant with all the detail that the model sees. */
  variant: VariantType;
  /** Whether an image takes a few milliseconds of this process, so that its fast path may embed it. */
  isFast: boolean;
  /**
   * @param images the bytes of this variant of images, which may be damaged or forged
   * @returns unit vectors in order; zeros for an image without any feature, null for one that cannot be read
   * @throws ModelError; MODEL_REFUSED if the model refuses some of them, not all images
   */
  embed(images: readonly Uint8Array[], options: { signal: AbortSignal }): Promise<(number[] | null)[]>;
  /**
   * A unit vector, close to those of the images that the text describes. Absent if the model knows no texts.
   *
   * @throws ModelError
   */
  embedText?(text: string, options: { signal: AbortSignal }): Promise<number[]>;
  /** Similarity of a text and an image that shows nothing else, if it is not 1; similarities are shares of it. */
  mostSimilar?(text: readonly number[]): number;
  /** An image that is less similar to a text does not show it. Absent if no similarity separates these. */
  near?: number;
  close(): Promise<void>;
}
