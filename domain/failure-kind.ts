import { entries, type Components } from './components.ts';
import { primaryStatus } from './primary-status.ts';

/** Why a file has no results, in one word. With several reasons, the first of these says it. */
export const FAILURE_KINDS = [
  'duplicate',
  'quota_exhausted',
  'rejected',
  'unreadable',
  'unreachable',
  'not_received',
  'model_failed',
  'service_failed',
  'cancelled',
] as const;
export type FailureKind = (typeof FAILURE_KINDS)[number];

/** The codes of each kind; every other code is `service_failed`, and a failed file without any was cancelled. */
export const CODES_OF_KIND: Readonly<Record<Exclude<FailureKind, 'service_failed'>, readonly string[]>> = {
  duplicate: ['DUPLICATE_LINK'],
  quota_exhausted: ['QUOTA_EXHAUSTED'],
  rejected: [
    'DOCUMENT_BUDGET_SPENT',
    'DOCUMENT_TOO_LARGE',
    'DOCUMENT_TOO_MANY_PAGES',
    'DOCUMENT_TOO_SLOW',
    'FILE_TOO_LARGE',
    'IMAGE_TOO_LARGE',
    'PAGE_TOO_LARGE',
    'PAGE_TOO_SLOW',
    'UNSUPPORTED_MEDIA',
    'URL_ADDRESS_REFUSED',
    'URL_DISALLOWED',
    'URL_INVALID',
    'URL_TOO_LARGE',
    'VIDEO_CODEC_UNSUPPORTED',
    'VIDEO_TOO_COMPLEX',
    'VIDEO_TOO_LARGE',
    'VIDEO_TOO_LONG',
    'VIDEO_TOO_SLOW',
  ],
  unreadable: [
    'DECODER_CRASHED',
    'DECODER_TIMEOUT',
    'DOCUMENT_DAMAGED',
    'DOCUMENT_EMPTY',
    'DOCUMENT_ENCRYPTED',
    'EMPTY_FILE',
    'IMAGE_UNREADABLE',
    'NOT_A_PAGE',
    'PAGE_DAMAGED',
    'PAGE_UNREADABLE',
    'PARSER_CRASHED',
    'READER_CRASHED',
    'RECOGNISER_CRASHED',
    'RECOGNISER_TIMEOUT',
    'URL_ENCODING_UNKNOWN',
    'VIDEO_EMPTY',
    'VIDEO_READER_CRASHED',
    'VIDEO_UNREADABLE',
    'VIDEO_WITHOUT_PICTURE',
  ],
  unreachable: [
    'PAGE_FORBIDDEN',
    'PAGE_NOT_FOUND',
    'URL_ANSWERED_ERROR',
    'URL_ROBOTS_UNREACHABLE',
    'URL_ROBOTS_UNREADABLE',
    'URL_TIMED_OUT',
    'URL_TOO_MANY_REDIRECTS',
    'URL_UNREACHABLE',
  ],
  not_received: [
    'HASH_MISMATCH',
    'NOT_UPLOADED',
    'PARTS_MISSING',
    'SIZE_MISMATCH',
    'UPLOAD_ABORTED',
    'UPLOAD_BROKEN_OFF',
    'UPLOAD_EXPIRED',
    'UPLOAD_FAILED',
  ],
  model_failed: [
    'MODEL_INVALID_ANSWER',
    'MODEL_INVALID_REPLY',
    'MODEL_RATE_LIMITED',
    'MODEL_REFUSED',
    'MODEL_TIMEOUT',
    'MODEL_UNAUTHORIZED',
    'MODEL_UNAVAILABLE',
  ],
  cancelled: ['CANCELLED', 'UPLOAD_SESSION_CANCELLED'],
};

const KIND_OF_CODE = new Map(
  Object.entries(CODES_OF_KIND).flatMap(([kind, codes]) =>
    codes.map((code): [string, FailureKind] => [code, kind as FailureKind]),
  ),
);

export function kindOfCode(code: string): FailureKind {
  return KIND_OF_CODE.get(code) ?? 'service_failed';
}

/** The kind of failure of a file, derived only from its components; null unless it has failed. */
export function failureKind(components: Components): FailureKind | null {
  if (primaryStatus(components) !== 'failed') return null;
  const kinds = entries(components).flatMap(([, { error }]) => (error ? [kindOfCode(error.code)] : []));
  return FAILURE_KINDS.find((kind) => kinds.includes(kind)) ?? 'cancelled';
}
