import type { JsonSchema } from './json-schema.ts';

/** `draft`: can be tried with a single extraction; `live`: uploads and projects may name it as well. */
export const SCHEMA_STATUSES = ['draft', 'live'] as const;
export type SchemaStatus = (typeof SCHEMA_STATUSES)[number];

/** A schema that an extraction uses; `id` and `version` of one that is saved. */
export interface UsedSchema {
  schema: JsonSchema;
  saved?: { id: string; version: number };
  /** The prompt of extractions that come without one. */
  promptHint: string | null;
}
