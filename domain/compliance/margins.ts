/** What was measured at the edges of a picture. Shares are 0–1; transparent pixels count as white. */
export interface Margins {
  /** Share of the pixels of the outermost ring that are white. */
  whiteRing: number;
  /** Width and height of everything that is not white, as shares of the picture; null for a white picture. */
  subject: { width: number; height: number } | null;
  /**
   * Depth of a band of one colour at each side, as a share of the picture, where it ends in a straight line along the
   * side, as an added border does; otherwise 0.
   */
  bands: { top: number; right: number; bottom: number; left: number };
}
