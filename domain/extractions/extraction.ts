/**
 * - `completed`: the whole extraction was attempted
 * - `partial`: only measurable facts were extracted; the reason explains the gap
 * - `not_assessed`: nothing could be extracted; the reason explains why
 */
export const EXTRACTION_STATUSES = ['completed', 'partial', 'not_assessed'] as const;
export type ExtractionStatus = (typeof EXTRACTION_STATUSES)[number];

/** The result of an extraction: fields for the whole image, and the items found in it. */
export interface ExtractionResult {
  readonly [field: string]: unknown;
  readonly items: readonly Readonly<Record<string, unknown>>[];
}

/** The outcome of one category extraction. */
export interface ExtractionOutcome {
  status: ExtractionStatus;
  /** Why it is not completed. */
  reason: string | null;
  result: ExtractionResult;
}
