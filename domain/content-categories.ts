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
