import type { DetailOf } from '../queries.ts';
import type { Box } from '../boxes.tsx';

type Extraction = DetailOf<'image'>['extractions'][number];

/** Something that was found in a picture. */
export interface Finding {
  id: string;
  label: string;
  details: readonly (readonly [name: string, value: string])[];
  box: Box | null;
  /** 0–1; null if unknown. */
  confidence: number | null;
}

/** The findings of one extraction, and what it says about the whole picture. */
export interface FindingGroup {
  domain: Extraction['domain_name'] | 'objects';
  /** Why it is not complete; null if it is. */
  reason: string | null;
  whole: readonly (readonly [name: string, value: string])[];
  findings: readonly Finding[];
}

/** The fields by which an item is named, the first that it has. */
const LABELS = ['text', 'name', 'label', 'tag', 'title', 'subject', 'symbol', 'rule', 'mark', 'kind'];
const HIDDEN = new Set(['bounding_box', 'confidence', 'items']);

/** What was found in a picture: objects, and the extractions with the corrections of its users. */
export function findingsOf({ detected_objects: objects, extractions }: DetailOf<'image'>): FindingGroup[] {
  const seen: FindingGroup = {
    domain: 'objects',
    reason: null,
    whole: [],
    findings: objects.map((object, at) => findingOf(`objects ${at}`, object)),
  };
  const extracted = extractions.map(
    ({ domain_name: domain, reason, result, corrected_result: corrected }) => {
      const { items = [], ...whole } = (corrected ?? result) as Record<string, unknown> & {
        items?: unknown[];
      };
      return {
        domain,
        reason,
        whole: detailsOf(whole),
        findings: items.map((item, at) => findingOf(`${domain} ${at}`, item as Record<string, unknown>)),
      };
    },
  );
  return objects.length > 0 ? [seen, ...extracted] : extracted;
}

function findingOf(id: string, item: Record<string, unknown>): Finding {
  const named = LABELS.find((name) => typeof item[name] === 'string' && item[name] !== '');
  const { [named ?? '']: label, ...others } = item;
  return {
    id,
    label: typeof label === 'string' ? label : '–',
    details: detailsOf(others),
    box: boxOf(item['bounding_box']),
    confidence: typeof item['confidence'] === 'number' ? item['confidence'] : null,
  };
}

function detailsOf(fields: Record<string, unknown>): (readonly [string, string])[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    if (HIDDEN.has(name)) return [];
    const text = textOf(value);
    return text === '' ? [] : [[name.replaceAll('_', ' '), text] as const];
  });
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(textOf).filter(Boolean).join(', ');
  return JSON.stringify(value);
}

function boxOf(value: unknown): Box | null {
  if (value === null || typeof value !== 'object') return null;
  const { x_min: left, y_min: top, x_max: right, y_max: bottom } = value as Record<string, number>;
  if (left === undefined || top === undefined || right === undefined || bottom === undefined) return null;
  return { left, top, width: right - left, height: bottom - top };
}
