import type { z } from 'zod';
import type { CategoryDomain } from '../../extractions/domains.ts';
import * as drawings from './drawings.ts';
import { result, words } from './parts.ts';
import * as scenes from './scenes.ts';

/**
 * How a domain is extracted. A released definition is never edited: a change of its words or of its result is a new
 * version, so that every stored extraction says what led to it.
 */
export interface DomainDefinition {
  version: string;
  /** What a model is to list. */
  instructions: string;
  result: z.ZodObject;
}

/** The definition of everything that a content category may ask for. */
export const DOMAIN_DEFINITIONS = {
  architectural_design: drawings.architecturalDesign,
  artwork: scenes.artwork,
  ce_plan: drawings.cePlan,
  construction: scenes.construction,
  document: scenes.document,
  facility_assessment: scenes.facilityAssessment,
  layout_region: drawings.layoutRegion,
  legend: drawings.legend,
  map: drawings.map,
  mining: scenes.mining,
  pfd: drawings.pfd,
  pid: drawings.pid,
  product_photo: scenes.productPhoto,
  real_estate: scenes.realEstate,
  robotics: scenes.robotics,
  schedule: drawings.schedule,
  screenshot: scenes.screenshot,
  technical_diagram: drawings.technicalDiagram,
} satisfies Record<CategoryDomain, DomainDefinition>;

/** The lines of recognised text, as an extraction. */
export const textRegionsResult = result({}, { text: words('The line as recognised') });
