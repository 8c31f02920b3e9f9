/** What a log may say of an error. */
export interface LoggedError {
  type: string;
  message: string;
  code?: string | number;
  stack?: string;
  cause?: LoggedError;
}

/** A query with thousands of values, for example, is part of its error's message. */
const MAX_TEXT = 4096;
const MAX_CAUSES = 5;

/**
 * What a log may say of anything that was thrown. This is an allow list, because libraries attach whatever they hold to
 * their errors: Node's HTTP parser the raw bytes of the request, HTTP clients their headers, database drivers the values.
 */
export function describeError(thrown: unknown, causes = MAX_CAUSES): LoggedError {
  if (!(thrown instanceof Error)) {
    const isText = typeof thrown === 'string';
    return { type: typeof thrown, message: isText ? clip(thrown) : 'not an Error' };
  }
  const { name, message, stack, cause } = thrown;
  const { code } = thrown as { code?: unknown };
  return {
    type: name,
    message: clip(message),
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    ...(stack !== undefined && { stack: clip(stack) }),
    ...(cause instanceof Error && causes > 0 && { cause: describeError(cause, causes - 1) }),
  };
}

function clip(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}
