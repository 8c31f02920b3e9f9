import { SchemaExtraction } from '../../db/entities/structured-extraction/schema-extraction.ts';
import { AppError, type ErrorCode } from '../../domain/app-error.ts';
import { defineWork } from '../shared/define-work.ts';
import { recordEnd } from './end-extraction.ts';
import { EXTRACTION_WORKFLOWS } from '../../temporal/contract/extract-data.ts';

/** The schema extraction of an upload is part of the workflow of its file, whose end ends it. */
export const extractionWork = defineWork({
  noun: 'extraction',
  entity: SchemaExtraction,
  workflow: EXTRACTION_WORKFLOWS,
  openStatuses: ['processing'],
  own: { filter: { source: { $ne: 'upload' } }, test: ({ source }) => source !== 'upload' },
  input: ({ id, tenantId, giveUpAt }) => ({
    extractionId: id,
    tenantId,
    priority: 'interactive' as const,
    ...(giveUpAt && { giveUpAt: giveUpAt.toISOString() }),
  }),
  summary: ({ source, level }) => `Extraction from ${source}, ${level}`,
  logged: ({ id }) => ({ extraction_id: id }),
  fail: async (em, { id, tenantId }, reason) => {
    const end = { status: 'failed', reason } as const;
    const keys = await em.transactional((tx) => recordEnd(tx, { extractionId: id, tenantId }, end));
    return keys !== undefined;
  },
});

/** "500: model provider unavailable or empty result" */
const UNAVAILABLE = ['MODEL_RATE_LIMITED', 'MODEL_UNAVAILABLE', 'MODEL_TIMEOUT', 'MODEL_UNAUTHORIZED'];
const EMPTY = ['EXTRACTION_EMPTY', 'MODEL_REFUSED', 'MODEL_INVALID_REPLY', 'MODEL_INVALID_ANSWER'];
const UNREADABLE = /^(IMAGE_|CONTENT_MISSING|ORIGINAL_MISSING|DECODER_|RECOGNISER_|URL_|UNSUPPORTED_MEDIA)/;

/** Error codes in responses to failed extractions. */
export const EXTRACTION_FAILURES = [
  'MODEL_UNAVAILABLE',
  'EXTRACTION_EMPTY',
  'IMAGE_UNREADABLE',
  'DOCUMENT_UNREADABLE',
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
  if (code.startsWith('DOCUMENT_')) return 'DOCUMENT_UNREADABLE';
  return UNREADABLE.test(code) ? 'IMAGE_UNREADABLE' : 'EXTRACTION_FAILED';
}
