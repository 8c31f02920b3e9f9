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
