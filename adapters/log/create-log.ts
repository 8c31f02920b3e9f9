import { destination, type DestinationStream, type Level, type Logger, pino } from 'pino';
import { currentTraceId, isTracing } from '../../domain/tracing.ts';

/** Lines kept in memory while they cannot be written; later ones are dropped. */
const WAITING_BYTES = 2 ** 20;

export interface LogOptions {
  level: Level | 'silent';
  /** Fields of every line. */
  base: Record<string, string>;
}

/**
 * The log of a process: one JSON object per line on standard output, without secrets (`loggable`). A full disk does not
 * end the process: the first lines that cannot be written wait for space, later ones are lost. Once traces are made, lines have
 * the id of theirs.
 *
 * @param to another destination, for tests
 */
export function createLog(options: LogOptions, to: DestinationStream = standardOutput()): Logger {
  const settings = {
    ...options,
    formatters: { log: loggable },
    // The formatter has already described it.
    serializers: { err: (described: unknown) => described },
    ...(isTracing() && { mixin: () => ({ trace_id: currentTraceId() }) }),
  };
  return pino(settings, to);
}

/**
 * Ends the process on an unhandled error, after logging it: Node would print it with all attached data, such as the
 * bytes of a request.
 */
export function exitOnDefect(log: Logger): void {
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'uncaught exception');
    process.exit(1);
  });
}

function standardOutput(): DestinationStream {
  const stream = destination({ dest: 1, sync: true, maxLength: WAITING_BYTES });
  stream.on('error', () => undefined);
  // Errors of output printed by libraries are ignored as well.
  for (const printed of [process.stdout, process.stderr]) printed.on('error', () => undefined);
  return stream;
}

const SECRET_HEADERS = new Set(['authorization', 'proxy-authorization', 'x-api-key', 'cookie', 'set-cookie']);
const REDACTED = '[redacted]';
/** Deeper values are left out; it also ends cycles. */
const MAX_DEPTH = 16;

/**
 * The loggable form of a line's fields, at any depth: errors by `describeError`, credential headers redacted in any
 * case of their names, and non-plain objects, such as sockets and buffers, reduced to their class.
 */
function loggable(fields: object): Record<string, unknown> {
  return eachEntry(fields, 0);
}

function eachEntry(fields: object, depth: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      key,
      SECRET_HEADERS.has(key.toLowerCase()) ? REDACTED : toLoggable(value, depth + 1),
    ]),
  );
}

function toLoggable(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (value instanceof Error) return describeError(value);
  if (depth > MAX_DEPTH) return '[nested too deeply]';
  if (Array.isArray(value)) return value.map((each) => toLoggable(each, depth + 1));
  if (isPlain(value)) return eachEntry(value, depth);
  return `[${value.constructor.name}]`;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** The loggable part of an error. */
interface LoggedError {
  type: string;
  message: string;
  code?: string | number;
  stack?: string;
  cause?: LoggedError;
}

/** An error's message may contain, for example, a query with thousands of values. */
const MAX_TEXT = 4096;
const MAX_CAUSES = 5;

/**
 * The loggable part of any thrown value. This is an allow list, because libraries attach sensitive data to their
 * errors: Node's HTTP parser the raw bytes of the request, HTTP clients their headers, database drivers the values.
 */
function describeError(thrown: unknown, causes = MAX_CAUSES): LoggedError {
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
