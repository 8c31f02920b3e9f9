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
  'more',
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
export function childPointer(pointer: string, ...keys: readonly (string | number)[]): string {
  return keys.reduce<string>(
    (path, key) => `${path}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`,
    pointer,
  );
}

/** Violations that a report names; more tell nobody anything, and a schema of some KB can have thousands. */
export const MAX_VIOLATIONS = 50;
/** No pointer into a schema within the limits is longer. */
const MAX_POINTER_LENGTH = 400;
const MAX_MESSAGE_LENGTH = 200;

/** The first violations, shortened, and as the last one how many more there are. */
export function reportViolations(found: readonly SchemaViolation[]): SchemaViolation[] {
  const named = found.slice(0, MAX_VIOLATIONS).map(shorten);
  const more = found.length - named.length;
  if (more === 0) return named;
  return [...named, { pointer: '', rule: 'more', message: `and ${more} more; correct these first` }];
}

/** A violation of bounded size: one whose pointer is too long is said of what lies above it. */
export function shorten({ pointer, rule, message }: SchemaViolation): SchemaViolation {
  const fits = pointer.length <= MAX_POINTER_LENGTH;
  const above = fits ? pointer : pointer.slice(0, pointer.lastIndexOf('/', MAX_POINTER_LENGTH));
  const said = fits ? message : `below it: ${message}`;
  const text = said.length <= MAX_MESSAGE_LENGTH ? said : `${said.slice(0, MAX_MESSAGE_LENGTH - 1)}…`;
  // A cut must not leave half a character.
  return { pointer: above, rule, message: text.toWellFormed() };
}
