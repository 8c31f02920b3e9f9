import type { ImageFacts } from '../../../domain/image-facts.ts';

/** Paper, as it is photographed or scanned. */
const PAPER_BRIGHTNESS = 0.6;
const PAPER_COLOUR = 0.14;
/** Lines of text of a page, at least. */
const PAGE_LINES = 12;

/** Whether a picture looks like a page of text: many lines on something pale. */
export function isPageOfText({ brightness, colourfulness }: ImageFacts, lines: number): boolean {
  return brightness >= PAPER_BRIGHTNESS && colourfulness <= PAPER_COLOUR && lines >= PAGE_LINES;
}
