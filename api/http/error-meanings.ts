import type { ErrorCode } from '../../domain/app-error.ts';

/** The codes in responses: those of refusals, and that of a defect. */
export type AnsweredCode = ErrorCode | 'INTERNAL';

/** What each code means to a client, in the OpenAPI document and in docs/errors.md. */
export const MEANING_OF: Readonly<Record<AnsweredCode, string>> = {
  BAD_REQUEST: 'The request cannot be parsed',
  VALIDATION_FAILED: 'Fields are missing, unknown or out of range; see `errors`',
  UNAUTHENTICATED: 'No API key or login session, or one that is not valid',
  INSUFFICIENT_TIER: 'The tier of the account has no API access',
  TENANT_DISABLED: 'The operator of this service has disabled the account; nothing in it is lost',
  FORBIDDEN: 'The role of the caller, or the scopes of the key, do not allow this',
  SESSION_REQUIRED: 'Settings need a login session; API keys cannot change them',
  FOREIGN_ORIGIN: 'A page of another site made this request with the cookie of the user',
  WRONG_PASSWORD: 'The current password is another one',
  PASSWORD_EXISTS: 'There is a password already; change it instead',
  NO_PASSWORD: 'The user has no password yet; set an initial one first',
  TOKEN_INVALID: 'The token of the email is unknown, used or expired, or for another purpose',
  EMAIL_IN_USE: 'Another user has this email address',
  IDENTITY_REJECTED: 'The login at the identity provider was refused, or took too long; start again',
  TENANT_HAS_MEMBERS: 'A tenant that the user owns has other members, who must be removed first',
  NOT_FOUND: "Unknown, deleted, or another tenant's; of a file whose upload has failed, `detail` says so",
  METHOD_NOT_ALLOWED: 'The path does not take this method; see `Allow`',
  EXPECTATION_FAILED: 'No expectation but `100-continue` can be met',
  HEADERS_TOO_LARGE: 'The headers have more than 16 KB together',
  REQUEST_TIMEOUT: 'The headers or the body took too long to arrive',
  AMBIGUOUS_ID: 'Several files begin with these 8 characters; use the whole id',
  WRONG_MEDIA_TYPE: 'Not available for files of this medium',
  STORAGE_NOT_CONFIGURED: 'The account has no storage of its own',
  STORAGE_REJECTED:
    "The account's own bucket refuses us: check its credentials, their permissions and the bucket",
  STORAGE_UNREACHABLE: "The account's own bucket does not answer, or not in time",
  CONNECTION_REQUIRED:
    'This format needs a connection to an account at the provider; `detail` says how to make one',
  CONNECTION_REJECTED: 'The provider refuses the connected account, or what was asked of it; see `detail`',
  CONNECTION_UNAVAILABLE: 'The provider of the connected account cannot be reached, or asks for patience',
  CONNECTION_LIMIT: 'The account has as many connections as it may',
  CONNECTIONS_NOT_CONFIGURED: 'The operator of this service has not registered it at the provider',
  EXPORT_TOO_LARGE: 'More files than a file of this format may hold; choose another format, or fewer files',
  EXPORT_FAILED: 'The export ended without a file; `detail` says why',
  ENCRYPTION_KEY_UNKNOWN:
    'The credentials of the bucket are encrypted with a key that the service no longer has: configure the bucket again',
  CUSTOM_SCHEMA_NOT_FOUND:
    'There is no saved schema with this id; or it is a draft, which uploads cannot name',
  INVALID_SCHEMA: 'The schema breaks rules of extractions; `errors` points to each offending node',
  INVALID_ANALYSIS_LEVEL: 'There is no such level of analysis',
  INVALID_BASE64: 'The image is not base64',
  IMAGE_NOT_FOUND: 'There is no image or document with this `file_id`',
  IMAGE_UNREADABLE: 'The content to extract from cannot be read or decoded; `detail` says why',
  MODEL_UNAVAILABLE:
    'The model did not answer in time, nor again when it was asked again; the credits are refunded',
  EXTRACTION_EMPTY:
    'Nothing was found that makes an object of the schema, or the model refused; the credits are refunded',
  EXTRACTION_FAILED: 'The extraction was ended before it had a result; the credits are refunded',
  INVALID_DOMAIN: 'There is no extraction of this name that can be reviewed',
  INVALID_CORRECTION:
    'A path leads to nothing in the extraction, or the value does not fit there; see `errors`',
  FOLDER_CYCLE: 'A folder cannot be moved into itself, nor into one below it',
  FOLDER_TOO_DEEP: 'Folders may be 20 levels deep',
  SESSION_ENDED: 'The upload session is completed, cancelled or expired',
  NAME_TAKEN:
    'There is a folder with this name in the same place, a project with this slug, or a saved schema with this name',
  FOLDER_NOT_EMPTY: 'The folder has files or folders; empty it, or delete it with `recursive=true`',
  TOO_MANY_FOLDERS: 'The account has all the folders that it may have',
  PROJECT_ROOT: 'The root folder of a project is renamed and deleted with its project, and cannot be moved',
  PROJECT_ARCHIVED: 'The project is archived and takes neither files nor folders',
  API_KEY_LIMIT: 'The account has all the API keys that it may have; revoke one first',
  API_KEY_ENDED: 'The API key is revoked or has expired; create another one',
  ALREADY_MEMBER: 'The person is a member with another role',
  MEMBER_LIMIT: 'The account has all the members that it may have',
  MEMBER_PROTECTED: 'Nobody can remove or change the owner, or themselves',
  NOTHING_TO_RETRY: 'None of the components has failed',
  WORK_IN_PROGRESS: 'Other work on this resource must end first',
  VARIANT_NOT_READY: 'There is no such variant, at least not yet',
  NOT_INDEXED: 'The image is not in the index of similar images yet',
  FILE_TOO_LARGE: 'The file or body is over its size limit; see `suggestion`',
  UNSUPPORTED_MEDIA: 'The content is of no type that is accepted',
  EMPTY_FILE: 'The file has no bytes',
  CLIENT_GONE: 'The client disconnected; only in logs',
  UPLOAD_TOO_SLOW: 'The body arrived below the minimum rate',
  HASH_MISMATCH: 'The bytes have another SHA-256 than claimed',
  SIZE_MISMATCH: 'The bytes have another length than announced',
  PARTS_MISSING: 'Parts are not confirmed, or not as confirmed; see `errors`',
  NOT_UPLOADED: 'The object store has no bytes of this upload',
  WRONG_UPLOAD_MODE: 'A single-shot upload has no parts',
  UPLOAD_COMPLETED: 'The upload is completed',
  UPLOAD_ABORTED: 'The upload was aborted',
  UPLOAD_EXPIRED: 'The upload was not completed in time',
  UPLOAD_FAILED: 'The upload has failed; start another one',
  IDEMPOTENCY_KEY_REUSED: 'The Idempotency-Key belongs to another request',
  REQUEST_IN_FLIGHT: 'A request with this Idempotency-Key is in progress',
  CONFIRMATION_IN_PROGRESS: 'Another confirmation of this batch is in progress',
  UPGRADE_REQUIRED: 'This path expects a WebSocket, version 13',
  TOO_MANY_CONNECTIONS: 'The account has all the live connections that it may have',
  TOO_MANY_CHANNELS: 'The connection has all the channels that it may have; only on live connections',
  UPLOAD_BACKPRESSURE: 'Uploads in progress are at their memory limit',
  QUOTA_EXHAUSTED: 'The credits of this month are used up',
  RATE_LIMITED: 'Too many requests of this account, or from this address; see `Retry-After`',
  TOO_MANY_BATCHES: 'Too many batches wait for their files',
  TOO_MANY_UPLOADS: 'Too many direct uploads are open',
  TOO_MANY_EXPORTS: 'Too many exports of this account are being written',
  SEARCH_TIMEOUT: 'The search took too long; use fewer words, or filters',
  SERVICE_UNAVAILABLE: 'An outage on our side',
  STORAGE_FULL: 'There is no room for anything new; reads still work',
  INTERNAL: 'A defect on our side; quote the `request_id` to support',
};

/**
 * Codes with a status of the service that are about the content of the request: sending it again changes nothing, and
 * nothing is wrong with the service. "500: Extraction: model provider unavailable or empty result"
 */
export const FINAL: ReadonlySet<string> = new Set<AnsweredCode>(['EXTRACTION_EMPTY']);

/** Whether a response is an error of the service, for its logs and metrics. */
export function isServiceError(status: number, code: string | undefined): boolean {
  return status >= 500 && !(code !== undefined && FINAL.has(code));
}

/** Codes of responses that may have a `Retry-After` header. */
export const MAY_PASS: ReadonlySet<AnsweredCode> = new Set<AnsweredCode>([
  'WORK_IN_PROGRESS',
  'REQUEST_IN_FLIGHT',
  'CONFIRMATION_IN_PROGRESS',
  'TOO_MANY_CONNECTIONS',
  'UPLOAD_BACKPRESSURE',
  'QUOTA_EXHAUSTED',
  'RATE_LIMITED',
  'TOO_MANY_BATCHES',
  'TOO_MANY_UPLOADS',
  'TOO_MANY_EXPORTS',
  'CONNECTION_UNAVAILABLE',
  'SEARCH_TIMEOUT',
  'SERVICE_UNAVAILABLE',
  'STORAGE_FULL',
  'STORAGE_UNREACHABLE',
]);
