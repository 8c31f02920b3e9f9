import { AUTO_CATEGORY, type ContentCategory, type RequestedCategory } from '../content-categories.ts';
import type { CategoryDomain } from './domains.ts';

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
