import type { ContentCategory } from '../../../domain/content-categories.ts';
import type { TextRegion } from '../../../domain/text-region.ts';
import { isPageOfText } from './page-of-text.ts';
import type { VisionInput } from './vision-model.ts';

/** Of the picture's height between its first and its last line. */
const PAGE_SPREAD = 0.5;
/**
 * What can be told of a category from measurements: a page of text on pale paper is a document. All others need a model
 * that sees, so they are `general`.
 */
export function localCategory({ facts, textRegions = [] }: VisionInput): ContentCategory {
  const page = isPageOfText(facts, textRegions.length) && spread(textRegions) >= PAGE_SPREAD;
  return page ? 'document' : 'general';
}

function spread(regions: readonly TextRegion[]): number {
  const top = Math.min(...regions.map(({ box }) => box.yMin));
  return Math.max(...regions.map(({ box }) => box.yMax)) - top;
}
