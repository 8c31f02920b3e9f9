import { AUTO_CATEGORY, type ContentCategory, type RequestedCategory } from '../content-categories.ts';

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

/**
 * - `completed`: the whole extraction was attempted
 * - `partial`: only measurable facts were extracted; the reason explains the gap
 * - `not_assessed`: nothing could be extracted; the reason explains why
 */
export const EXTRACTION_STATUSES = ['completed', 'partial', 'not_assessed'] as const;
type ExtractionStatus = (typeof EXTRACTION_STATUSES)[number];

/** The result of an extraction: fields for the whole image, and the items found in it. */
export interface ExtractionResult {
  readonly [field: string]: unknown;
  readonly items: readonly Readonly<Record<string, unknown>>[];
}

/** The outcome of one category extraction. */
export interface ExtractionOutcome {
  status: ExtractionStatus;
  /** Why it is not completed. */
  reason: string | null;
  result: ExtractionResult;
}

/** The extractions for an image of each category, besides its text. */
const DOMAINS_OF = {
  general: [],
  blueprint: ['layout_region', 'legend', 'schedule', 'technical_diagram'],
  ce_plan: ['ce_plan', 'layout_region', 'legend'],
  technical_diagram: ['technical_diagram', 'legend'],
  architectural_design: ['architectural_design', 'layout_region', 'schedule'],
  product_photo: ['product_photo'],
  real_estate: ['real_estate'],
  mining: ['mining'],
  robotics: ['robotics'],
  artwork: ['artwork'],
  screenshot: ['screenshot', 'layout_region'],
  document: ['document', 'layout_region'],
  map: ['map', 'legend'],
  pid: ['pid', 'legend'],
  pfd: ['pfd', 'legend'],
  construction: ['construction'],
  facility_assessment: ['facility_assessment'],
} as const satisfies Record<ContentCategory, readonly CategoryDomain[]>;

/** Empty for an image that is not classified yet. */
export function domainsOf(category: RequestedCategory): readonly CategoryDomain[] {
  return category === AUTO_CATEGORY ? [] : DOMAINS_OF[category];
}

export function hasDomains(category: RequestedCategory): boolean {
  return domainsOf(category).length > 0;
}
