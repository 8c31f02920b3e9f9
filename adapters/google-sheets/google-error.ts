/**
 * - `CONNECTION_REVOKED`: the refresh token is no longer valid; the account must be connected again
 * - `CONNECTION_REJECTED`: Google rejects the request: permissions, quota of the account, an invalid request
 * - `SPREADSHEET_GONE`: the spreadsheet was deleted while it was written
 * - `CONNECTION_RATE_LIMITED`: too many calls; `retryAfterSeconds` if Google gives it
 * - `CONNECTION_UNAVAILABLE`: Google cannot be reached or fails; retryable
 */
export type GoogleErrorCode =
  | 'CONNECTION_REVOKED'
  | 'CONNECTION_REJECTED'
  | 'SPREADSHEET_GONE'
  | 'CONNECTION_RATE_LIMITED'
  | 'CONNECTION_UNAVAILABLE';

/** A failed call to Google. The message is safe to show to users. */
export class GoogleError extends Error {
  override readonly name = 'GoogleError';
  readonly code: GoogleErrorCode;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: GoogleErrorCode,
    message: string,
    options: { cause?: unknown; retryAfterSeconds?: number | undefined } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  /** Whether the same call may succeed later. */
  get retryable(): boolean {
    return this.code === 'CONNECTION_RATE_LIMITED' || this.code === 'CONNECTION_UNAVAILABLE';
  }
}
