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
