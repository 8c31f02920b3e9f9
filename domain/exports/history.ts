/** How the file of a description arrived: alone, or as one of an upload session. */
export const SOURCE_TYPES = ['single', 'batch'] as const;
export type SourceType = (typeof SOURCE_TYPES)[number];

/** Fields of a record in an export of the history, in the order of the columns. */
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

/** What is known of the file and of the model besides: `metadata` of a record, in a CSV a column for each. */
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

/** Selects records of the history. Absent fields filter nothing; an empty list selects no records. */
export interface HistoryFilter {
  /** First and last moment of `created_at`, ISO 8601, both included. */
  from?: string | undefined;
  to?: string | undefined;
  /** A record without a score, such as every description, lies in no range. */
  minConfidence?: number | undefined;
  maxConfidence?: number | undefined;
  /** All of them, in the description, the title or the file name, in any case. */
  terms?: readonly string[] | undefined;
  sourceTypes?: readonly SourceType[] | undefined;
}
