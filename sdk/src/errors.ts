/** One wrong field of a request. */
export interface FieldError {
  /** JSON pointer into the request, such as `/body/title`. */
  pointer: string;
  message: string;
}

/** Everything that this client throws, except the reason of a signal that was aborted. */
export class DarkroomError extends Error {
  override readonly name: string = 'DarkroomError';
  /** The reason, for programs. */
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** A request that was answered with an error. */
export class ApiError extends DarkroomError {
  override readonly name = 'ApiError';
  readonly status: number;
  /** Method and path of the request; empty if there was none. */
  readonly request: string;
  /** Id of the request in the logs of the service; empty if something before the API answered. */
  readonly requestId: string;
  /** How long the API asks to wait before the request is repeated; 0 if it does not say. */
  readonly retryAfterMs: number;
  /** The wrong fields, up to 20. */
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

/** A request without an answer, with code `CONNECTION_LOST` or `TIMEOUT`: whether it took effect is unknown. */
export class ConnectionError extends DarkroomError {
  override readonly name = 'ConnectionError';
}

/** The error that an answer stands for. Reads its body. */
export async function errorOf(response: Response, request = ''): Promise<ApiError> {
  const { status, headers } = response;
  const text = await response.text();
  const problem = parseObject(text) as
    | { code?: string; detail?: string; request_id?: string; errors?: FieldError[] }
    | undefined;
  // The object store answers in XML.
  const storeCode = /<Code>(\w+)<\/Code>/.exec(text)?.[1];
  return new ApiError(
    problem?.code ?? storeCode ?? `HTTP_${status}`,
    problem?.detail ?? `the server answered ${[status, storeCode].filter(Boolean).join(' ')}`,
    {
      status,
      request,
      requestId: problem?.request_id ?? headers.get('x-request-id') ?? '',
      retryAfterMs: retryAfterMs(headers.get('retry-after')),
      errors: problem?.errors ?? [],
    },
  );
}

/** The message of fetch is only `fetch failed`; its cause is specific. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}

/** The milliseconds of a `Retry-After`, which is given in seconds or as a date (RFC 9110 §10.2.3); 0 without one. */
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
