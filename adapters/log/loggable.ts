import { describeError } from './describe-error.ts';

const SECRET_HEADERS = new Set(['authorization', 'proxy-authorization', 'x-api-key', 'cookie', 'set-cookie']);
const REDACTED = '[redacted]';
/** Deeper values are left out; it also ends cycles. */
const MAX_DEPTH = 16;

/**
 * The fields of a log line as they may be written, at any depth: errors as `describeError` says, headers with
 * credentials redacted in any case of their names, and of objects other than plain ones, such as sockets and buffers,
 * only the class.
 */
export function loggable(fields: object): Record<string, unknown> {
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
