import { childPointer } from './schema-violation.ts';

/** "allowed types string, integer, number, boolean, array, object" */
export const SCHEMA_TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object'] as const;
export type SchemaType = (typeof SCHEMA_TYPES)[number];

/** String formats that results are validated against. */
export const SCHEMA_FORMATS = [
  'date',
  'date-time',
  'time',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uri',
  'uuid',
] as const;

/** The JSON Schema of an extraction, validated by check-schema.ts. */
export interface JsonSchema {
  readonly $schema?: string;
  /** Absent if there is `anyOf`. */
  readonly type?: SchemaType;
  readonly title?: string;
  readonly description?: string;
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly items?: JsonSchema;
  readonly enum?: readonly (string | number | boolean)[];
  readonly const?: string | number | boolean;
  readonly format?: (typeof SCHEMA_FORMATS)[number];
  readonly pattern?: string;
  readonly minItems?: number;
  readonly [keyword: string]: unknown;
}

export type LeafValue = string | number | boolean;

/** A scalar value of a result. */
export interface Leaf {
  /** JSON pointer into the result. */
  pointer: string;
  /** The name of its property, or of the list that contains it. */
  name: string;
  value: LeafValue;
}

/** The leaves of a result, in order. */
export function leavesOf(value: unknown, pointer = '', name = ''): Leaf[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => leavesOf(item, childPointer(pointer, index), name));
  }
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([key, item]) => leavesOf(item, childPointer(pointer, key), key));
  }
  const isLeaf = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isLeaf ? [{ pointer, name, value }] : [];
}

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
