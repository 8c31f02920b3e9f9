/** Why a request is refused. The API gives each code its HTTP status, see api/http/errors.ts. */
export const ERROR_CODES = [
  'BAD_REQUEST',
  'VALIDATION_FAILED',
  'UNAUTHENTICATED',
  'INSUFFICIENT_TIER',
  'TENANT_DISABLED',
  'FORBIDDEN',
  'LOGIN_SESSION_REQUIRED',
  'FOREIGN_ORIGIN',
  'WRONG_PASSWORD',
  'PASSWORD_EXISTS',
  'NO_PASSWORD',
  'TOKEN_INVALID',
  'EMAIL_IN_USE',
  'IDENTITY_REJECTED',
  'TENANT_HAS_MEMBERS',
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'EXPECTATION_FAILED',
  'HEADERS_TOO_LARGE',
  'REQUEST_TIMEOUT',
  'AMBIGUOUS_ID',
  'WRONG_MEDIA_TYPE',
  'STORAGE_NOT_CONFIGURED',
  'STORAGE_REJECTED',
  'STORAGE_UNREACHABLE',
  'CONNECTION_REQUIRED',
  'CONNECTION_REJECTED',
  'CONNECTION_UNAVAILABLE',
  'CONNECTION_LIMIT',
  'CONNECTIONS_NOT_CONFIGURED',
  'EXPORT_TOO_LARGE',
  'EXPORT_FAILED',
  'ENCRYPTION_KEY_UNKNOWN',
  'CUSTOM_SCHEMA_NOT_FOUND',
  'INVALID_SCHEMA',
  'INVALID_ANALYSIS_LEVEL',
  'INVALID_BASE64',
  'IMAGE_NOT_FOUND',
  'IMAGE_UNREADABLE',
  'MODEL_UNAVAILABLE',
  'EXTRACTION_EMPTY',
  'EXTRACTION_FAILED',
  'INVALID_DOMAIN',
  'INVALID_CORRECTION',
  'FOLDER_CYCLE',
  'FOLDER_TOO_DEEP',
  'UPLOAD_SESSION_ENDED',
  'NAME_TAKEN',
  'FOLDER_NOT_EMPTY',
  'TOO_MANY_FOLDERS',
  'PROJECT_ROOT',
  'PROJECT_ARCHIVED',
  'API_KEY_LIMIT',
  'API_KEY_ENDED',
  'ALREADY_MEMBER',
  'MEMBER_LIMIT',
  'MEMBER_PROTECTED',
  'NOTHING_TO_RETRY',
  'WORK_IN_PROGRESS',
  'VARIANT_NOT_READY',
  'NOT_INDEXED',
  'FILE_TOO_LARGE',
  'UNSUPPORTED_MEDIA',
  'EMPTY_FILE',
  'CLIENT_GONE',
  'UPLOAD_TOO_SLOW',
  'HASH_MISMATCH',
  'SIZE_MISMATCH',
  'PARTS_MISSING',
  'NOT_UPLOADED',
  'WRONG_UPLOAD_MODE',
  'UPLOAD_COMPLETED',
  'UPLOAD_ABORTED',
  'UPLOAD_EXPIRED',
  'UPLOAD_FAILED',
  'IDEMPOTENCY_KEY_REUSED',
  'REQUEST_IN_FLIGHT',
  'CONFIRMATION_IN_PROGRESS',
  'UPGRADE_REQUIRED',
  'TOO_MANY_CONNECTIONS',
  'TOO_MANY_CHANNELS',
  'UPLOAD_BACKPRESSURE',
  'QUOTA_EXHAUSTED',
  'RATE_LIMITED',
  'TOO_MANY_BATCHES',
  'TOO_MANY_UPLOADS',
  'TOO_MANY_EXPORTS',
  'SEARCH_TIMEOUT',
  'SERVICE_UNAVAILABLE',
  'STORAGE_FULL',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

export interface ErrorDetails {
  /** One for each field that is wrong; `pointer` is a JSON pointer into the request. */
  errors?: { pointer: string; message: string }[];
  /** Total number of errors, which may exceed the length of `errors`. */
  errorCount?: number;
  retryAfterSeconds?: number;
  suggestion?: { endpoint: string; message: string };
}

/** An expected refusal, with a message that is safe to show. Any other thrown error is a defect or an outage. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.details = details;
  }
}

/** The same for missing resources and those of other tenants, so that ids cannot be probed. */
export function notFound(what: string): AppError {
  return new AppError('NOT_FOUND', `${what} not found`);
}

/** One field is wrong; `pointer` is a JSON pointer into the request. */
export function invalidField(pointer: string, message: string): AppError {
  return new AppError('VALIDATION_FAILED', `${pointer}: ${message}`, { errors: [{ pointer, message }] });
}
