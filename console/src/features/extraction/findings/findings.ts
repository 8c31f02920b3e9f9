import type { components } from 'darkroom-client';
import type { Mark } from '../source-view.tsx';

export type CategoryExtraction = components['schemas']['Extraction'];
export type ReviewDomain = components['schemas']['ReviewDomain'];

/** The domains that people can review; a new one of the API is only shown until it stands here. */
const REVIEWABLE: Readonly<Record<ReviewDomain, true>> = {
  architectural_design: true,
  ce_plan: true,
  layout_region: true,
  legend: true,
  mining: true,
  real_estate: true,
  technical_diagram: true,
  pid: true,
  pfd: true,
  text_regions: true,
  mls_compliance: true,
  schedule: true,
};

export function isReviewable(domain: string): domain is ReviewDomain {
  return Object.hasOwn(REVIEWABLE, domain);
}

type ComplianceDomain = 'mls_compliance' | 'marketplace_compliance';

/** Whether an extraction is the result of a compliance check. */
export function isCompliance(
  extraction: CategoryExtraction,
): extraction is Extract<CategoryExtraction, { domain_name: ComplianceDomain }> {
  const { domain_name: domain } = extraction;
  return domain === 'mls_compliance' || domain === 'marketplace_compliance';
}

type JsonObject = Readonly<Record<string, unknown>>;
export type Scalar = string | number | boolean | null;

/** One value of a finding. */
export interface FindingField {
  /** Dot-path in the result. */
  path: string;
  name: string;
  value: Scalar;
  /** What was read, if a person has corrected it. */
  original: Scalar | undefined;
}

/** Something that was found as a whole, or the values that belong to no such thing. */
export interface Finding {
  /** Dot-path in the result; null for single values of the result. */
  path: string | null;
  fields: FindingField[];
  box: Mark['box'] | null;
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isScalar = (value: unknown): value is Scalar => value === null || typeof value !== 'object';

/** Measurements of the model, and places, which the picture shows. */
const HIDDEN = new Set(['bounding_box', 'confidence']);

/** The findings of an extraction with the corrections of people, in the order of the result. */
export function findingsOf({
  result,
  corrected_result: corrected,
  corrections,
}: CategoryExtraction): Finding[] {
  const original = result as JsonObject;
  const edits = corrections.field_edits;
  const findings: Finding[] = [];
  const single: FindingField[] = [];
  const fieldOf = (path: string, name: string, value: Scalar): FindingField => ({
    path,
    name,
    value,
    original: Object.hasOwn(edits, path) ? (valueAt(original, path) as Scalar) : undefined,
  });
  const visit = (value: unknown, path: string[]): void => {
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) {
        const at = [...path, String(index)];
        if (isObject(item)) findings.push(findingOf(item, at));
        else if (isScalar(item)) single.push(fieldOf(at.join('.'), at.join(' '), item));
      }
    } else if (isObject(value)) {
      for (const [key, child] of Object.entries(value)) {
        if (HIDDEN.has(key)) continue;
        if (isScalar(child)) single.push(fieldOf([...path, key].join('.'), [...path, key].join(' '), child));
        else visit(child, [...path, key]);
      }
    }
  };
  const findingOf = (item: JsonObject, path: string[]): Finding => ({
    path: path.join('.'),
    fields: leavesOf(item, path, []).map(([at, name, value]) => fieldOf(at, name, value)),
    box: boxOf(item['bounding_box']),
  });
  visit(corrected ?? original, []);
  return single.length > 0 ? [{ path: null, fields: single, box: null }, ...findings] : findings;
}

function leavesOf(value: unknown, path: string[], names: string[]): [string, string, Scalar][] {
  if (isScalar(value)) return [[path.join('.'), names.join(' '), value]];
  return Object.entries(value as object)
    .filter(([key]) => !HIDDEN.has(key))
    .flatMap(([key, child]) => leavesOf(child, [...path, key], [...names, key]));
}

function valueAt(root: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, key) => (value as Readonly<Record<string, unknown>> | null)?.[key], root);
}

/** Edges, as findings have them, as a place with a width and a height. */
function boxOf(value: unknown): Mark['box'] | null {
  if (!isObject(value)) return null;
  const { x_min: left, y_min: top, x_max: right, y_max: bottom } = value;
  if (typeof left !== 'number' || typeof top !== 'number') return null;
  if (typeof right !== 'number' || typeof bottom !== 'number') return null;
  return { x: left, y: top, w: right - left, h: bottom - top };
}
