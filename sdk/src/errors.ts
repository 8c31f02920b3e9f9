/** One invalid field of a request. */
export interface FieldError {
  /** JSON pointer into the request, such as `/body/title`. */
  pointer: string;
  message: string;
}

/** Base class of the errors that this client throws. */
export class DarkroomError extends Error {
  override readonly name: string = 'DarkroomError';
  /** The machine-readable reason. */
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** A request to which the server returned an error. */
export class ApiError extends DarkroomError {
  override readonly name = 'ApiError';
  readonly status: number;
  /** Method and path of the request; empty if there was none. */
  readonly request: string;
  /** Id of the request in the logs of the service; empty if a proxy in front of the API responded. */
  readonly requestId: string;
  /** Milliseconds to wait before a retry, from `Retry-After`; 0 without one. */
  readonly retryAfterMs: number;
  /** The invalid fields, up to 20. */
  readonly errors: readonly FieldError[];

  constructor(
    code: string,
    message: string,
    details: {
      status: number;
      request?: string;
      requestId?: string;
      retryAfterMs?: number;
      errors?: readonly FieldError[];
    },
  ) {
    super(code, message);
    this.status = details.status;
    this.request = details.request ?? '';
    this.requestId = details.requestId ?? '';
    this.retryAfterMs = details.retryAfterMs ?? 0;
    this.errors = details.errors ?? [];
  }
}

/** A request without a response, with code `CONNECTION_LOST` or `TIMEOUT`; it is unknown whether it took effect. */
export class ConnectionError extends DarkroomError {
  override readonly name = 'ConnectionError';
}

/** The error for a response. Reads its body. */
export async function errorOf(response: Response, request = ''): Promise<ApiError> {
  const { status, headers } = response;
  const text = await response.text();
  const problem = parseObject(text) as
    | { code?: string; detail?: string; request_id?: string; errors?: FieldError[] }
    | undefined;
  // Errors of the object store are XML.
  const storeCode = /<Code>(\w+)<\/Code>/.exec(text)?.[1];
  return new ApiError(
    problem?.code ?? storeCode ?? `HTTP_${status}`,
    problem?.detail ?? `the server returned ${[status, storeCode].filter(Boolean).join(' ')}`,
    {
      status,
      request,
      requestId: problem?.request_id ?? headers.get('x-request-id') ?? '',
      retryAfterMs: retryAfterMs(headers.get('retry-after')),
      errors: problem?.errors ?? [],
    },
  );
}

/** The specific reason of a failed request: the message of fetch itself is only `fetch failed`. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}

/** A `Retry-After` header in milliseconds; it contains seconds or a date (RFC 9110 §10.2.3). 0 without one. */
export function retryAfterMs(header: string | null, now: number = Date.now()): number {
  if (!header?.trim()) return 0;
  const seconds = Number(header);
  const wait = Number.isNaN(seconds) ? Date.parse(header) - now : seconds * 1000;
  return Number.isNaN(wait) ? 0 : Math.max(0, Math.ceil(wait));
}

function parseObject(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
