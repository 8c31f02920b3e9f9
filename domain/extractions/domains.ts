/** The extractions that a person may review. */
export const REVIEW_DOMAINS = [
  'architectural_design',
  'ce_plan',
  'layout_region',
  'legend',
  'mining',
  'real_estate',
  'technical_diagram',
  'pid',
  'pfd',
  'text_regions',
  'mls_compliance',
  'schedule',
] as const;
export type ReviewDomain = (typeof REVIEW_DOMAINS)[number];

/** The extractions that a content category may request. */
export const CATEGORY_DOMAINS = [
  'architectural_design',
  'artwork',
  'ce_plan',
  'construction',
  'document',
  'facility_assessment',
  'layout_region',
  'legend',
  'map',
  'mining',
  'pfd',
  'pid',
  'product_photo',
  'real_estate',
  'robotics',
  'schedule',
  'screenshot',
  'technical_diagram',
] as const;
export type CategoryDomain = (typeof CATEGORY_DOMAINS)[number];

/** The results of compliance checks, by kind of check. */
export const COMPLIANCE_DOMAINS = { mls: 'mls_compliance', marketplace: 'marketplace_compliance' } as const;
export type ComplianceDomain = (typeof COMPLIANCE_DOMAINS)[keyof typeof COMPLIANCE_DOMAINS];

/** Every kind of extraction from an image. `text_regions` is the recognised text. */
export const EXTRACTION_DOMAINS = [
  ...CATEGORY_DOMAINS,
  'text_regions',
  ...Object.values(COMPLIANCE_DOMAINS),
] as const;
export type ExtractionDomain = (typeof EXTRACTION_DOMAINS)[number];

export function isReviewDomain(name: string): name is ReviewDomain {
  return (REVIEW_DOMAINS as readonly string[]).includes(name);
}
