/** What a schema can violate. */
export const SCHEMA_RULES = [
  'root_type',
  'size',
  'depth',
  'nodes',
  'properties',
  'type',
  'keyword',
  'composition',
  'name',
  'required',
  'enum',
  'pattern',
  'format',
  'bounds',
  'value',
] as const;
export type SchemaRule = (typeof SCHEMA_RULES)[number];

/** One thing that is wrong with a schema. */
export interface SchemaViolation {
  /** JSON pointer into the schema; empty for its root. */
  pointer: string;
  rule: SchemaRule;
  message: string;
}

/** The pointer of what is below another one. */
export function below(pointer: string, ...keys: readonly (string | number)[]): string {
  return keys.reduce<string>(
    (path, key) => `${path}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`,
    pointer,
  );
}
