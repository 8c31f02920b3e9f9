/** Limits of the JSON Schema of an extraction, set by the contract. */
export const SCHEMA_LIMITS = {
  /** Size of the schema as compact JSON in UTF-8. */
  bytes: 32 * 1024,
  /** Steps from the root to a value: each property, or items of an array, is one; a branch of `anyOf` is none. */
  depth: 3,
  /** Properties per object. */
  properties: 50,
  /** Subschemas: the root, each property, the items of each array, each branch of each `anyOf`. */
  nodes: 200,
} as const;

/** Maximum length of a pattern. */
export const MAX_PATTERN_LENGTH = 500;
/** Total `patternSize` of a schema's patterns: each is compiled before the schema is accepted. */
export const MAX_PATTERNS_SIZE = 5000;
/** Maximum length of a property name. */
export const MAX_PROPERTY_NAME_LENGTH = 100;
export const MAX_EXTRACTION_PROMPT_LENGTH = 2000;

export const MAX_SCHEMA_NAME_LENGTH = 255;
export const MAX_SCHEMA_DESCRIPTION_LENGTH = 2000;
