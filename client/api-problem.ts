/** An error response of the API. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly status: number;
  readonly code: string;
  readonly retryAfterMs: number;
  /** JSON pointers to the invalid fields. */
  readonly pointers: string[];

  constructor(status: number, code: string, message: string, retryAfterMs = 0, pointers: string[] = []) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfterMs = retryAfterMs;
    this.pointers = pointers;
  }
}

/** A request without a response: whether it took effect is unknown. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

/** The API has been unavailable for longer than `--patience`. */
export class ApiLost extends Error {
  override readonly name = 'ApiLost';
}

/** Whether the same request may succeed later. */
export function isRetryable(error: unknown): error is ApiProblem | ConnectionLost {
  if (error instanceof ConnectionLost) return true;
  if (!(error instanceof ApiProblem)) return false;
  // Credits come back with the next month.
  if (error.code === 'QUOTA_EXHAUSTED') return false;
  return [408, 429, 500, 502, 503, 504].includes(error.status) || error.code === 'REQUEST_IN_FLIGHT';
}
