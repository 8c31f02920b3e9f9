import type { VisionInput } from '../../../adapters/models/vision/vision-model.ts';
import type { ContentCategory } from '../../../domain/content-categories.ts';

/** What the model gets besides the file's own row; the category is set when it was just found. */
export type MeasuredImage = Pick<VisionInput, 'image' | 'facts' | 'width' | 'height' | 'textRegions'> & {
  contentCategory?: ContentCategory;
};
