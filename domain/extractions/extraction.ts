/**
 * - `completed`: all of it was looked for
 * - `partial`: only what can be measured was looked for; the reason says what was not
 * - `not_assessed`: nothing could be looked for; the reason says why
 */
export const EXTRACTION_STATUSES = ['completed', 'partial', 'not_assessed'] as const;
export type ExtractionStatus = (typeof EXTRACTION_STATUSES)[number];

/** What was extracted: fields that hold for the whole image, and the items found in it. */
export interface ExtractionResult {
  readonly [field: string]: unknown;
  readonly items: readonly Readonly<Record<string, unknown>>[];
}

/** The outcome of one domain. */
export interface ExtractionOutcome {
  status: ExtractionStatus;
  /** Why it is not completed. */
  reason: string | null;
  result: ExtractionResult;
}
