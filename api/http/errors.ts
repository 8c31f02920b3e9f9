import { AppError, type ErrorCode } from '../../domain/app-error.ts';
import { FINAL } from './error-meanings.ts';

/** The HTTP status of every code. */
export const STATUS_OF: Readonly<Record<ErrorCode, number>> = {
  BAD_REQUEST: 400,
  VALIDATION_FAILED: 422,
  UNAUTHENTICATED: 401,
  INSUFFICIENT_TIER: 403,
  TENANT_DISABLED: 403,
  FORBIDDEN: 403,
  LOGIN_SESSION_REQUIRED: 403,
  FOREIGN_ORIGIN: 403,
  WRONG_PASSWORD: 403,
  PASSWORD_EXISTS: 400,
  NO_PASSWORD: 400,
  TOKEN_INVALID: 400,
  EMAIL_IN_USE: 409,
  IDENTITY_REJECTED: 400,
  TENANT_HAS_MEMBERS: 409,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  EXPECTATION_FAILED: 417,
  HEADERS_TOO_LARGE: 431,
  REQUEST_TIMEOUT: 408,
  AMBIGUOUS_ID: 409,
  WRONG_MEDIA_TYPE: 400,
  STORAGE_NOT_CONFIGURED: 400,
  STORAGE_REJECTED: 424,
  STORAGE_UNREACHABLE: 424,
  CONNECTION_REQUIRED: 422,
  CONNECTION_REJECTED: 424,
  CONNECTION_UNAVAILABLE: 424,
  CONNECTION_LIMIT: 409,
  CONNECTIONS_NOT_CONFIGURED: 422,
  EXPORT_TOO_LARGE: 422,
  EXPORT_FAILED: 409,
  ENCRYPTION_KEY_UNKNOWN: 503,
  CUSTOM_SCHEMA_NOT_FOUND: 400,
  INVALID_SCHEMA: 400,
  INVALID_ANALYSIS_LEVEL: 400,
  INVALID_BASE64: 400,
  IMAGE_NOT_FOUND: 400,
  IMAGE_UNREADABLE: 422,
  MODEL_UNAVAILABLE: 500,
  EXTRACTION_EMPTY: 500,
  EXTRACTION_FAILED: 500,
  INVALID_DOMAIN: 400,
  INVALID_CORRECTION: 400,
  FOLDER_CYCLE: 400,
  FOLDER_TOO_DEEP: 400,
  UPLOAD_SESSION_ENDED: 400,
  NAME_TAKEN: 409,
  FOLDER_NOT_EMPTY: 409,
  TOO_MANY_FOLDERS: 409,
  PROJECT_ROOT: 409,
  PROJECT_ARCHIVED: 409,
  API_KEY_LIMIT: 409,
  API_KEY_ENDED: 409,
  ALREADY_MEMBER: 409,
  MEMBER_LIMIT: 409,
  MEMBER_PROTECTED: 409,
  NOTHING_TO_RETRY: 409,
  WORK_IN_PROGRESS: 409,
  VARIANT_NOT_READY: 404,
  NOT_INDEXED: 409,
  FILE_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA: 415,
  EMPTY_FILE: 422,
  CLIENT_GONE: 499,
  UPLOAD_TOO_SLOW: 408,
  HASH_MISMATCH: 409,
  SIZE_MISMATCH: 409,
  PARTS_MISSING: 422,
  NOT_UPLOADED: 422,
  WRONG_UPLOAD_MODE: 409,
  UPLOAD_COMPLETED: 409,
  UPLOAD_ABORTED: 409,
  UPLOAD_EXPIRED: 409,
  UPLOAD_FAILED: 409,
  IDEMPOTENCY_KEY_REUSED: 422,
  REQUEST_IN_FLIGHT: 409,
  CONFIRMATION_IN_PROGRESS: 409,
  UPGRADE_REQUIRED: 426,
  TOO_MANY_CONNECTIONS: 429,
  TOO_MANY_CHANNELS: 429,
  UPLOAD_BACKPRESSURE: 429,
  QUOTA_EXHAUSTED: 429,
  RATE_LIMITED: 429,
  TOO_MANY_BATCHES: 429,
  TOO_MANY_UPLOADS: 429,
  TOO_MANY_EXPORTS: 429,
  SEARCH_TIMEOUT: 503,
  SERVICE_UNAVAILABLE: 503,
  STORAGE_FULL: 503,
};

/** The body of every error response. */
export interface ErrorBody {
  detail: string;
  code: string;
  request_id: string;
  errors?: { pointer: string; message: string }[];
  /** Total number of errors, which may exceed the length of `errors`. */
  error_count?: number;
  suggestion?: { endpoint: string; message: string };
}

export interface RenderedError {
  status: number;
  headers: Record<string, string>;
  body: ErrorBody;
}

/** The response for an error. For a defect it has only the request id, under which the log has the details. */
export function renderError(error: unknown, requestId: string): RenderedError {
  if (!(error instanceof AppError)) {
    const body = {
      detail: 'internal error; quote this request id to support',
      code: 'INTERNAL',
      request_id: requestId,
    };
    return { status: 500, headers: {}, body };
  }
  const { errors, errorCount, suggestion, retryAfterSeconds } = error.details;
  const headers: Record<string, string> = {};
  if (retryAfterSeconds !== undefined) headers['Retry-After'] = String(retryAfterSeconds);
  // Clients repeat a 500 by themselves.
  if (FINAL.has(error.code)) headers['x-should-retry'] = 'false';
  if (error.code === 'UNAUTHENTICATED') headers['WWW-Authenticate'] = 'Bearer';
  return {
    status: STATUS_OF[error.code],
    headers,
    body: {
      detail: error.message,
      code: error.code,
      request_id: requestId,
      ...(errors && { errors, error_count: errorCount ?? errors.length }),
      ...(suggestion && { suggestion }),
    },
  };
}
