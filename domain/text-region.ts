/** A line of text in an image, with its position. */
export interface TextRegion {
  text: string;
  /** Bounding box in the upright image, 0–1 of width and height. */
  box: { xMin: number; yMin: number; xMax: number; yMax: number };
}
