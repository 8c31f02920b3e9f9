import type { JsonSchema } from './json-schema.ts';

/** `draft`: usable in single extractions; `live`: uploads and projects may name it as well. */
export const SCHEMA_STATUSES = ['draft', 'live'] as const;
export type SchemaStatus = (typeof SCHEMA_STATUSES)[number];

/** The schema of an extraction; `id` and `version` are set for a saved one. */
export interface UsedSchema {
  schema: JsonSchema;
  saved?: { id: string; version: number };
  /** The default prompt of its extractions. */
  promptHint: string | null;
}
