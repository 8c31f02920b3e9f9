/** The content of an image as declared by the client; selects prompts and category extractions. */
export const CONTENT_CATEGORIES = [
  'general',
  'blueprint',
  'ce_plan',
  'technical_diagram',
  'architectural_design',
  'product_photo',
  'real_estate',
  'mining',
  'robotics',
  'artwork',
  'screenshot',
  'document',
  'map',
  'pid',
  'pfd',
  'construction',
  'facility_assessment',
] as const;
export type ContentCategory = (typeof CONTENT_CATEGORIES)[number];

/** Replaced by the detected category before the image is described. */
export const AUTO_CATEGORY = 'auto';

/** The categories a file may have: only analyses of images accept `auto`, which stays until the image is classified. */
export const REQUESTED_CATEGORIES = [...CONTENT_CATEGORIES, AUTO_CATEGORY] as const;
export type RequestedCategory = (typeof REQUESTED_CATEGORIES)[number];
