/** "document page 0.2 rounded up per document" */
const PAGES_A_CREDIT = 5;

/** Credits for reading a number of pages of a document. */
export function creditsForPages(pages: number): number {
  return Math.ceil(pages / PAGES_A_CREDIT);
}
