/** Reasons why a URL gave no usable content. */
export const WEB_FETCH_CODES = [
  'URL_INVALID',
  'URL_ADDRESS_REFUSED',
  'URL_UNREACHABLE',
  'URL_ANSWERED_ERROR',
  'URL_TOO_MANY_REDIRECTS',
  'URL_ENCODING_UNKNOWN',
  'URL_TOO_LARGE',
  'URL_TIMED_OUT',
  'URL_DISALLOWED',
  'URL_ROBOTS_UNREACHABLE',
  'URL_ROBOTS_UNREADABLE',
] as const;
export type WebFetchCode = (typeof WEB_FETCH_CODES)[number];

/** A URL that could not be fetched. The message is safe to show: it contains neither addresses nor queries. */
export class WebFetchError extends Error {
  override readonly name = 'WebFetchError';
  readonly code: WebFetchCode;
  /** Whether a retry of the same URL may succeed. */
  readonly retryable: boolean;
  /** HTTP status of an error answer. */
  readonly status: number | undefined;
  /** From the site's `Retry-After`. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: WebFetchCode,
    message: string,
    options: {
      retryable?: boolean;
      status?: number;
      retryAfterSeconds?: number | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.status = options.status;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}
