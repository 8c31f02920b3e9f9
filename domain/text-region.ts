/** A line of text in a picture, with its position. */
export interface TextRegion {
  text: string;
  /** Bounding box in the upright picture, 0–1 of width and height. */
  box: { xMin: number; yMin: number; xMax: number; yMax: number };
}
