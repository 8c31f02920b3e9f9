interface ErrorKind {
  /** HTTP status. */
  status: number;
  /** Explanation for clients, used in the OpenAPI document and in docs/errors.md. */
  means: string;
  /** The same request may succeed later; the response may have a `Retry-After` header. */
  again?: true;
  /** A 5xx caused by the content of the request: a retry gets the same answer; logs and metrics ignore it. */
  final?: true;
}

const table = {
  BAD_REQUEST: { status: 400, means: 'The request cannot be parsed' },
  VALIDATION_FAILED: { status: 422, means: 'Fields are missing, unknown or out of range; see `errors`' },
  UNAUTHENTICATED: { status: 401, means: 'The API key or login session is missing or not valid' },
  INSUFFICIENT_TIER: { status: 403, means: 'The tier of the account has no API access' },
  TENANT_DISABLED: { status: 403, means: 'The operator has disabled the account; nothing in it is lost' },
  FORBIDDEN: { status: 403, means: 'The role of the caller, or the scopes of the key, do not allow this' },
  LOGIN_SESSION_REQUIRED: {
    status: 403,
    means: 'Settings need a login session; API keys cannot change them',
  },
  FOREIGN_ORIGIN: { status: 403, means: "A page of another site made this request with the user's cookie" },
  WRONG_PASSWORD: { status: 403, means: 'This is not the current password' },
  LOGIN_TOO_OLD: {
    status: 403,
    means:
      'The login is too old: without a password this needs one of the last ten minutes, a switch one within `session_hours`; log in again',
  },
  PASSWORD_EXISTS: { status: 400, means: 'The user already has a password; change it instead' },
  NO_PASSWORD: { status: 400, means: 'The user has no password yet; set an initial one first' },
  TOKEN_INVALID: {
    status: 400,
    means: 'The token of the email is unknown, used, expired or for another purpose',
  },
  EMAIL_IN_USE: { status: 409, means: 'Another user has this email address' },
  IDENTITY_REJECTED: {
    status: 400,
    means: 'The identity provider refused the login, or it took too long; start again',
  },
  IDENTITY_PROVIDER_REQUIRED: {
    status: 403,
    means: 'Groups at an identity provider give the user access to the account; log in there',
  },
  TENANT_HAS_MEMBERS: {
    status: 409,
    means: 'A tenant that the user owns has other members; remove them first',
  },
  NOT_FOUND: {
    status: 404,
    means: "Unknown, deleted, or another tenant's; for a file whose upload has failed, `detail` says so",
  },
  METHOD_NOT_ALLOWED: { status: 405, means: 'The path does not take this method; see `Allow`' },
  EXPECTATION_FAILED: { status: 417, means: 'Only the expectation `100-continue` is supported' },
  HEADERS_TOO_LARGE: { status: 431, means: 'The headers are larger than 16 KB together' },
  REQUEST_TIMEOUT: { status: 408, means: 'The headers or the body took too long to arrive' },
  AMBIGUOUS_ID: { status: 409, means: 'Several files begin with these 8 characters; use the whole id' },
  WRONG_MEDIA_TYPE: { status: 400, means: 'Not available for files of this medium' },
  STORAGE_NOT_CONFIGURED: { status: 400, means: 'The account has no storage of its own' },
  STORAGE_REJECTED: {
    status: 424,
    means:
      "The account's own bucket refuses the service: check its credentials, their permissions and the bucket",
  },
  STORAGE_UNREACHABLE: {
    status: 424,
    means: "The account's own bucket does not answer, or not in time",
    again: true,
  },
  CONNECTION_REQUIRED: {
    status: 422,
    means: 'This format needs a connection to an account at the provider; `detail` says how to make one',
  },
  CONNECTION_REJECTED: {
    status: 424,
    means: 'The provider refuses the connected account or the request; see `detail`',
  },
  CONNECTION_UNAVAILABLE: {
    status: 424,
    means: 'The provider of the connected account cannot be reached, or limits requests',
    again: true,
  },
  CONNECTION_LIMIT: { status: 409, means: 'The account has reached its limit of connections to providers' },
  CONNECTIONS_NOT_CONFIGURED: {
    status: 422,
    means:
      'The operator has not registered this service at the provider: GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET, see docs/configuration.md',
  },
  EXPORT_TOO_LARGE: {
    status: 422,
    means: 'More files than a file of this format may hold; choose another format, or fewer files',
  },
  REPROCESSING_CONFLICT: {
    status: 409,
    means: 'The state of the reprocessing does not allow this; `detail` says why',
  },
  EXPORT_FAILED: { status: 409, means: 'The export ended without a file; `detail` says why' },
  ENCRYPTION_KEY_UNKNOWN: {
    status: 503,
    means:
      'The credentials of the bucket are encrypted with a key that the service no longer has: configure the bucket again',
  },
  CUSTOM_SCHEMA_NOT_FOUND: {
    status: 400,
    means: 'There is no saved schema with this id; or it is a draft, which uploads cannot name',
  },
  INVALID_SCHEMA: {
    status: 400,
    means: 'The schema breaks rules of extractions; `errors` points to each offending node',
  },
  INVALID_ANALYSIS_LEVEL: { status: 400, means: 'Unknown analysis level' },
  INVALID_BASE64: { status: 400, means: 'The image is not base64' },
  IMAGE_NOT_FOUND: { status: 400, means: 'There is no image or document with this `file_id`' },
  IMAGE_UNREADABLE: {
    status: 422,
    means: 'The image to extract from cannot be fetched, read or decoded; `detail` says why',
  },
  DOCUMENT_UNREADABLE: {
    status: 422,
    means: 'The document or page to extract from has no text that could be read; `detail` says why',
  },
  MODEL_UNAVAILABLE: {
    status: 500,
    means: 'The model did not answer in time, nor on the second attempt; the credits are refunded',
  },
  // "500: Extraction: model provider unavailable or empty result"
  EXTRACTION_EMPTY: {
    status: 500,
    means: 'The model found nothing that fits the schema, or refused; the credits are refunded',
    final: true,
  },
  EXTRACTION_FAILED: {
    status: 500,
    means: 'The extraction was ended before it had a result; the credits are refunded',
  },
  ANSWER_FAILED: {
    status: 500,
    means: 'The question got no answer that can be used; the credits are refunded',
  },
  INVALID_DOMAIN: { status: 400, means: 'No extraction that can be reviewed has this name' },
  INVALID_CORRECTION: {
    status: 400,
    means: 'A path leads to nothing in the extraction, or the value does not fit there; see `errors`',
  },
  FOLDER_CYCLE: { status: 400, means: 'A folder cannot be moved into itself, nor into one below it' },
  FOLDER_TOO_DEEP: { status: 400, means: 'Folders may be 20 levels deep' },
  UPLOAD_SESSION_ENDED: { status: 400, means: 'The upload session is completed, cancelled or expired' },
  NAME_TAKEN: {
    status: 409,
    means:
      'There is a folder with this name in the same place, a project with this slug, or a saved schema with this name',
  },
  FILE_HELD: {
    status: 409,
    means:
      'The file, or one that it belongs with, is held and must not be deleted until an admin releases it',
  },
  FOLDER_NOT_EMPTY: {
    status: 409,
    means: 'The folder has files or folders; empty it, or delete it with `recursive=true`',
  },
  TOO_MANY_FOLDERS: { status: 409, means: 'The account has reached its limit of folders' },
  PROJECT_ROOT: {
    status: 409,
    means: 'The root folder of a project is renamed and deleted with its project, and cannot be moved',
  },
  PROJECT_ARCHIVED: { status: 409, means: 'The project is archived and takes neither files nor folders' },
  API_KEY_LIMIT: { status: 409, means: 'The account has reached its limit of API keys; revoke one first' },
  API_KEY_ENDED: { status: 409, means: 'The API key is revoked or has expired; create another one' },
  WEBHOOK_LIMIT: { status: 409, means: 'The account has reached its limit of webhooks; delete one first' },
  WEBHOOK_DISABLED: { status: 409, means: 'The webhook is disabled; enable it first' },
  ALREADY_MEMBER: { status: 409, means: 'The person is a member with another role' },
  SHARE_LIMIT: { status: 409, means: 'The file has reached its limit of links; revoke one first' },
  MEMBER_LIMIT: { status: 409, means: 'The account has reached its limit of members' },
  MEMBER_PROTECTED: {
    status: 409,
    means: 'The owner cannot be removed or changed, and members cannot remove or change themselves',
  },
  IMPORT_ENDED: { status: 409, means: 'The import has ended, or has not been stopped; `detail` says which' },
  NOTHING_TO_SPLIT: { status: 409, means: 'The document has a single page' },
  NOTHING_TO_RETRY: { status: 409, means: 'Nothing has failed' },
  WORK_IN_PROGRESS: { status: 409, means: 'Other work on this resource must end first', again: true },
  PAGE_NOT_DRAWN: { status: 422, means: 'The page cannot be drawn; `detail` says why' },
  VARIANT_NOT_READY: { status: 404, means: 'The variant does not exist, or not yet' },
  NOT_INDEXED: { status: 409, means: 'The image is not in the index of similar images yet' },
  FILE_TOO_LARGE: { status: 413, means: 'The file or body is over its size limit; see `suggestion`' },
  UNSUPPORTED_MEDIA: { status: 415, means: 'The type of the content is not accepted' },
  EMPTY_FILE: { status: 422, means: 'The file is empty' },
  CLIENT_GONE: { status: 499, means: 'The client disconnected; only in logs' },
  UPLOAD_TOO_SLOW: { status: 408, means: 'The body arrived below the minimum rate' },
  HASH_MISMATCH: { status: 409, means: 'The SHA-256 of the bytes differs from the claimed one' },
  SIZE_MISMATCH: { status: 409, means: 'The size of the bytes differs from the announced one' },
  PARTS_MISSING: { status: 422, means: 'Parts are not confirmed, or not as confirmed; see `errors`' },
  NOT_UPLOADED: { status: 422, means: 'The bytes of this upload are not in the object store' },
  WRONG_UPLOAD_MODE: { status: 409, means: 'An upload in one piece has no parts' },
  UPLOAD_COMPLETED: { status: 409, means: 'The upload is completed' },
  UPLOAD_ABORTED: { status: 409, means: 'The upload was aborted' },
  UPLOAD_EXPIRED: { status: 409, means: 'The upload was not completed in time' },
  UPLOAD_FAILED: { status: 409, means: 'The upload has failed; start another one' },
  IDEMPOTENCY_KEY_REUSED: { status: 422, means: 'The Idempotency-Key belongs to another request' },
  REQUEST_IN_FLIGHT: {
    status: 409,
    means: 'A request with this Idempotency-Key is in progress',
    again: true,
  },
  CONFIRMATION_IN_PROGRESS: {
    status: 409,
    means: 'Another confirmation of this batch is in progress',
    again: true,
  },
  UPGRADE_REQUIRED: { status: 426, means: 'This path expects a WebSocket, version 13' },
  TOO_MANY_CONNECTIONS: {
    status: 429,
    means: 'The account has reached its limit of live connections',
    again: true,
  },
  TOO_MANY_CHANNELS: {
    status: 429,
    means: 'The connection has reached its limit of channels; only on live connections',
  },
  UPLOAD_BACKPRESSURE: { status: 429, means: 'Uploads in progress are at their memory limit', again: true },
  QUOTA_EXHAUSTED: { status: 429, means: 'The credits of this month are used up', again: true },
  RATE_LIMITED: {
    status: 429,
    means: 'Too many requests of this account, or from this address; see `Retry-After`',
    again: true,
  },
  TOO_MANY_BATCHES: { status: 429, means: 'Too many batches wait for their files', again: true },
  TOO_MANY_UPLOADS: { status: 429, means: 'Too many direct uploads are open', again: true },
  TOO_MANY_EXPORTS: { status: 429, means: 'Too many exports of this account are being written', again: true },
  TOO_MANY_IMPORTS: { status: 429, means: 'Too many imports of this account have not ended', again: true },
  TOO_MANY_SPLITS: {
    status: 429,
    means: 'Too many documents of this account are being divided',
    again: true,
  },
  TOO_MANY_REPROCESSINGS: {
    status: 429,
    means: 'Too many reprocessings of this account are open',
    again: true,
  },
  SEARCH_TIMEOUT: {
    status: 503,
    means: 'The search took too long; use fewer words, or filters',
    again: true,
  },
  SERVICE_UNAVAILABLE: { status: 503, means: 'The service, or a server that it needs, is down', again: true },
  STORAGE_FULL: {
    status: 503,
    means: 'The service has no space for new data; reads still work',
    again: true,
  },
  INTERNAL: { status: 500, means: 'A defect of the service; give its operator the `request_id`' },
} satisfies Readonly<Record<string, ErrorKind>>;

export type AnsweredCode = keyof typeof table;
/** Why a request is refused. */
export type ErrorCode = Exclude<AnsweredCode, 'INTERNAL'>;
/** Every code that the API answers with: refusals, and `INTERNAL` for a defect. */
export const ERRORS: Readonly<Record<AnsweredCode, ErrorKind>> = table;
export const ANSWERED_CODES = Object.keys(table) as AnsweredCode[];

/** Whether a text, such as the code of a stored failure, is the code of a refusal. */
export function isErrorCode(text: string | undefined): text is ErrorCode {
  return text !== undefined && text !== 'INTERNAL' && Object.hasOwn(table, text);
}

export interface ErrorDetails {
  /** One per invalid field; `pointer` is a JSON pointer into the request. */
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

/** The same error for missing resources and those of other tenants, so that ids cannot be probed. */
export function notFound(what: string): AppError {
  return new AppError('NOT_FOUND', `${what} not found`);
}

/** An error for one invalid field; `pointer` is a JSON pointer into the request. */
export function invalidField(pointer: string, message: string): AppError {
  return new AppError('VALIDATION_FAILED', `${pointer}: ${message}`, { errors: [{ pointer, message }] });
}
