import { z } from 'zod';
import type { CategoryDomain, ExtractionDomain, ExtractionResult } from '../../extractions/domains.ts';
import { complianceResult } from './compliance.ts';
import * as drawings from './drawings.ts';
import { readAnswer, result, type ResultSchemas } from './parts.ts';
import * as scenes from './scenes.ts';

/**
 * The definition of one category extraction. A released definition is never edited: any change of its wording or result
 * is a new version, so that every stored extraction identifies the definition that produced it.
 */
export interface DomainDefinition extends ResultSchemas {
  version: string;
  /** The items that a model must list. */
  instructions: string;
}

/** The definitions of all extractions that a content category may request. */
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

/** The result of every kind of extraction. */
export const RESULT_SCHEMAS: Readonly<Record<ExtractionDomain, z.ZodObject>> = {
  ...categoryResults(),
  text_regions: result({}, { text: z.string().describe('The line as recognised') }).result,
  mls_compliance: complianceResult,
  marketplace_compliance: complianceResult,
};

/** The schema of a model's answer for several domains at once. */
export function answerOfDomains(domains: readonly CategoryDomain[]): z.ZodObject {
  return z.object(Object.fromEntries(domains.map((domain) => [domain, DOMAIN_DEFINITIONS[domain].answer])));
}

/** The result for each domain in such an answer. */
export function readAnswerOfDomains(answer: unknown): (domain: CategoryDomain) => ExtractionResult {
  const answers = z.record(z.string(), z.unknown()).parse(answer);
  return (domain) => readAnswer(answers[domain]);
}

function categoryResults(): Record<CategoryDomain, z.ZodObject> {
  const results = Object.entries(DOMAIN_DEFINITIONS).map(([domain, definition]) => [
    domain,
    definition.result,
  ]);
  return Object.fromEntries(results) as Record<CategoryDomain, z.ZodObject>;
}
