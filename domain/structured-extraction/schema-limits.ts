/** Limits of the JSON Schema of an extraction, set by the contract. */
export const SCHEMA_LIMITS = {
  /** Of the schema as compact JSON in UTF-8. */
  bytes: 32 * 1024,
  /** Steps from the root to a value, each into a property or into the items of an array; a branch of `anyOf` is none. */
  depth: 3,
  /** Properties of one object. */
  properties: 50,
  /** Schemas in the schema: the root, each property, the items of each array, each branch of each `anyOf`. */
  nodes: 200,
} as const;

/** Longer patterns are programs. */
export const MAX_PATTERN_LENGTH = 500;
/** Of all patterns of a schema together, as `patternSize` has it: each is compiled before a schema is accepted. */
export const MAX_PATTERNS_SIZE = 5000;
/** Longer names of properties are sentences. */
export const MAX_PROPERTY_NAME_LENGTH = 100;
export const MAX_EXTRACTION_PROMPT_LENGTH = 2000;

export const MAX_SCHEMA_NAME_LENGTH = 255;
export const MAX_SCHEMA_DESCRIPTION_LENGTH = 2000;
