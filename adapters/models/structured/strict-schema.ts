import type { JsonSchema } from '../../../engines/text-work/answer-check.ts';

/** Keywords that every endpoint with strict answers enforces; OpenAI's own supports a few more. */
const ENFORCED = new Set([
  'type',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'enum',
  'const',
  'anyOf',
  'title',
  'description',
]);
const MAX_DEPTH = 5;
const MAX_PROPERTIES = 100;

/**
 * Whether an endpoint can enforce the schema. It must be an object without optional or further properties, throughout.
 */
export function allowsStrict(schema: JsonSchema): boolean {
  let properties = 0;

  function fits(node: unknown, depth: number): boolean {
    if (!isObject(node) || depth > MAX_DEPTH) return false;
    if (!Object.keys(node).every((key) => ENFORCED.has(key))) return false;
    const { properties: given, required, additionalProperties, items, anyOf } = node;
    if (node['type'] === 'object' || given !== undefined) {
      if (!isObject(given) || additionalProperties !== false || !Array.isArray(required)) return false;
      const names = Object.keys(given);
      properties += names.length;
      if (properties > MAX_PROPERTIES || !names.every((name) => required.includes(name))) return false;
      if (!names.every((name) => fits(given[name], depth + 1))) return false;
    }
    if (items !== undefined && !fits(items, depth + 1)) return false;
    return anyOf === undefined || (Array.isArray(anyOf) && anyOf.every((each) => fits(each, depth + 1)));
  }

  return schema['type'] === 'object' && fits(schema, 0);
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
