import type { ContentCategory } from '../../../domain/content-categories.ts';
import type { TextRegion } from '../../../domain/text-region.ts';
import type { VisionInput } from './vision-model.ts';

/** Lines of text of a page, at least. */
const PAGE_LINES = 12;
/** Of the picture's height between its first and its last line. */
const PAGE_SPREAD = 0.5;
/** Paper, as it is photographed or scanned. */
const PAPER_BRIGHTNESS = 0.6;
const PAPER_COLOUR = 0.14;

/**
 * What can be told of a category from measurements: a page of text on pale paper is a document. All others need a model
 * that sees, so they are `general`.
 */
export function localCategory({ facts, textRegions = [] }: VisionInput): ContentCategory {
  const paper = facts.brightness >= PAPER_BRIGHTNESS && facts.colourfulness <= PAPER_COLOUR;
  return paper && textRegions.length >= PAGE_LINES && spread(textRegions) >= PAGE_SPREAD
    ? 'document'
    : 'general';
}

function spread(regions: readonly TextRegion[]): number {
  const top = Math.min(...regions.map(({ box }) => box.yMin));
  return Math.max(...regions.map(({ box }) => box.yMax)) - top;
}
