/** A line of text in a picture, and where it stands. */
export interface TextRegion {
  text: string;
  /** Corners of the upright picture's part that holds it, 0–1 of width and height. */
  box: { xMin: number; yMin: number; xMax: number; yMax: number };
}
