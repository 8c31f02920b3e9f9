/** What a picture shows, as declared by the client; selects prompts and domain extractions. */
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

/** To be replaced by the category that the image is found to have, before it is described. */
export const AUTO_CATEGORY = 'auto';

/** What a file may have been given: only analyses of images accept `auto`, which stays until the image is classified. */
export const REQUESTED_CATEGORIES = [...CONTENT_CATEGORIES, AUTO_CATEGORY] as const;
export type RequestedCategory = (typeof REQUESTED_CATEGORIES)[number];

/** Those whose data stand in small print and thin lines, which a smaller picture loses. */
const FINE: ReadonlySet<string> = new Set<ContentCategory>([
  'blueprint',
  'ce_plan',
  'technical_diagram',
  'architectural_design',
  'screenshot',
  'document',
  'map',
  'pid',
  'pfd',
]);

/** Whether data are to be read out of a large rendering of a picture of this category. */
export function hasFineDetail(contentCategory: string): boolean {
  return FINE.has(contentCategory);
}
