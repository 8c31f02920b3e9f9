import type { Classification, VisionInput } from '../../../adapters/models/vision/vision-model.ts';

/** What the model gets besides the file's own row. */
export type MeasuredImage = Pick<VisionInput, 'image' | 'facts' | 'width' | 'height' | 'textRegions'> & {
  /** Of an image that was given `auto`. */
  classification?: Classification | undefined;
};
