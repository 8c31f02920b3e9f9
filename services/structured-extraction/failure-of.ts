import type { SchemaExtraction } from '../../db/entities/structured-extraction/schema-extraction.ts';
import { AppError, type ErrorCode } from '../../domain/app-error.ts';

/** "500: model provider unavailable or empty result" */
const UNAVAILABLE = ['MODEL_RATE_LIMITED', 'MODEL_UNAVAILABLE', 'MODEL_TIMEOUT', 'MODEL_UNAUTHORIZED'];
const EMPTY = ['EXTRACTION_EMPTY', 'MODEL_REFUSED', 'MODEL_INVALID_REPLY', 'MODEL_INVALID_ANSWER'];
const UNREADABLE =
  /^(IMAGE_|CONTENT_MISSING|ORIGINAL_MISSING|DECODER_|RECOGNISER_|URL_|UNSUPPORTED_MEDIA|DOCUMENT_)/;

/** Error codes in responses to failed extractions. */
export const EXTRACTION_FAILURES = [
  'MODEL_UNAVAILABLE',
  'EXTRACTION_EMPTY',
  'IMAGE_UNREADABLE',
  'EXTRACTION_FAILED',
] as const satisfies readonly ErrorCode[];

/** The failure of an extraction, as the response to the request that waited for it. */
export function failureOf({ id, error }: SchemaExtraction): AppError {
  const { code = 'INTERNAL', message = 'unknown failure' } = error ?? {};
  return new AppError(answeredCode(code), `${message} (extraction ${id})`);
}

function answeredCode(code: string): (typeof EXTRACTION_FAILURES)[number] {
  if (UNAVAILABLE.includes(code)) return 'MODEL_UNAVAILABLE';
  if (EMPTY.includes(code)) return 'EXTRACTION_EMPTY';
  return UNREADABLE.test(code) ? 'IMAGE_UNREADABLE' : 'EXTRACTION_FAILED';
}
