/** Measurements at the edges of an image. Shares are 0–1; transparent pixels count as white. */
export interface Margins {
  /** Share of the pixels of the outermost ring that are white. */
  whiteRing: number;
  /** Width and height of the non-white area, as shares of the image; null for a white image. */
  subject: { width: number; height: number } | null;
  /**
   * Depth of a single-coloured band at each side, as a share of the image, if it ends in a straight line along that
   * side as an added border does; otherwise 0.
   */
  bands: { top: number; right: number; bottom: number; left: number };
}
