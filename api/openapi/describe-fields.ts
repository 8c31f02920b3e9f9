import { FIELD_DESCRIPTIONS } from './field-descriptions.ts';

type Node = Record<string, unknown>;

/** Describes every field and parameter of a document that has no description of its own, in place. */
export function describeFields<Document extends object>(document: Document): Document {
  visit(document);
  return document;
}

function visit(value: unknown): void {
  if (Array.isArray(value)) return value.forEach(visit);
  if (!isNode(value)) return;
  const { properties, in: place, name } = value;
  if (isNode(properties)) {
    for (const [field, schema] of Object.entries(properties)) if (isNode(schema)) describe(field, schema);
  }
  if (typeof place === 'string' && typeof name === 'string' && isNode(value['schema'])) describe(name, value);
  Object.values(value).forEach(visit);
}

function describe(name: string, node: Node): void {
  const description = Object.hasOwn(FIELD_DESCRIPTIONS, name) ? FIELD_DESCRIPTIONS[name] : undefined;
  if (description) node['description'] ??= description;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
