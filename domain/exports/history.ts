/** How the described file was uploaded: alone, or in an upload session. */
export const SOURCE_TYPES = ['single', 'batch'] as const;
export type SourceType = (typeof SOURCE_TYPES)[number];

/** Fields of a record in an export of the history, in column order. */
export const HISTORY_FIELDS = [
  'id',
  'type',
  'source_type',
  'source_id',
  'created_at',
  'image_id',
  'image_url',
  'description',
  'confidence_score',
  'verification',
  'status',
  'error_message',
] as const;
export type HistoryField = (typeof HISTORY_FIELDS)[number];

/** Further facts about the file and the model: `metadata` of a record, one column each in a CSV. */
export const HISTORY_METADATA = [
  'filename',
  'title',
  'tags',
  'media_type',
  'content_type',
  'content_category',
  'provider',
  'model',
  'prompt_version',
  'generation',
  'input_tokens',
  'output_tokens',
] as const;
export type HistoryMetadata = (typeof HISTORY_METADATA)[number];

/** Selects records of the history. Absent fields do not filter; an empty list selects no records. */
export interface HistoryFilter {
  /** First and last moment of `created_at`, ISO 8601, both included. */
  from?: string | undefined;
  to?: string | undefined;
  /** Descriptions have no score, and records without one match no range. */
  minConfidence?: number | undefined;
  maxConfidence?: number | undefined;
  /** All must occur in the description, the title or the file name, case-insensitively. */
  terms?: readonly string[] | undefined;
  sourceTypes?: readonly SourceType[] | undefined;
}
