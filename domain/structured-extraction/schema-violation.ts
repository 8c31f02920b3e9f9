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

/** A violation in a schema. */
export interface SchemaViolation {
  /** JSON pointer into the schema; empty for its root. */
  pointer: string;
  rule: SchemaRule;
  message: string;
}

/** The pointer of a descendant. */
export function childPointer(pointer: string, ...keys: readonly (string | number)[]): string {
  return keys.reduce<string>(
    (path, key) => `${path}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`,
    pointer,
  );
}

/** Violations listed in a report; a schema of some KB can have thousands. */
export const MAX_VIOLATIONS = 50;
/** Pointers into a schema within the limits are shorter. */
const MAX_POINTER_LENGTH = 400;
const MAX_MESSAGE_LENGTH = 200;

/** The first violations, shortened, followed by the number of further ones. */
export function reportViolations(found: readonly SchemaViolation[]): SchemaViolation[] {
  const named = found.slice(0, MAX_VIOLATIONS).map(shorten);
  const more = found.length - named.length;
  if (more === 0) return named;
  return [...named, { pointer: '', rule: 'more', message: `and ${more} more; correct these first` }];
}

/** A violation of bounded size: one with too long a pointer is reported at an ancestor. */
export function shorten({ pointer, rule, message }: SchemaViolation): SchemaViolation {
  const fits = pointer.length <= MAX_POINTER_LENGTH;
  const above = fits ? pointer : pointer.slice(0, pointer.lastIndexOf('/', MAX_POINTER_LENGTH));
  const said = fits ? message : `below it: ${message}`;
  const text = said.length <= MAX_MESSAGE_LENGTH ? said : `${said.slice(0, MAX_MESSAGE_LENGTH - 1)}…`;
  // Truncation must not leave half a character.
  return { pointer: above, rule, message: text.toWellFormed() };
}
