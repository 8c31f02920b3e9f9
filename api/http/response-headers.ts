/** The response headers that clients rely on, as components of the document. Security headers are left out. */
export const HEADERS = {
  'X-Request-Id': {
    description: 'Id of the request, in our logs too; yours if you sent one',
    schema: { type: 'string' },
  },
  'Retry-After': {
    description: 'Seconds to wait before the next attempt',
    schema: { type: 'integer', minimum: 1 },
  },
  'x-should-retry': {
    description:
      'Set where sending the request again changes nothing, although the status is one of the service',
    schema: { type: 'string', const: 'false' },
  },
  'X-RateLimit-Limit': {
    description: 'Requests that the account, or this operation if that is tighter, may have in its window',
    schema: { type: 'integer', minimum: 0 },
  },
  'X-RateLimit-Remaining': {
    description: 'Requests left in this window',
    schema: { type: 'integer', minimum: 0 },
  },
  'X-RateLimit-Reset': {
    description: 'When the window ends, in Unix seconds',
    schema: { type: 'integer', minimum: 0 },
  },
  'Idempotency-Replayed': {
    description: 'Set if this is the stored response of an earlier request with the same Idempotency-Key',
    schema: { type: 'string', const: 'true' },
  },
  'WWW-Authenticate': {
    description: 'The scheme to authenticate with',
    schema: { type: 'string', const: 'Bearer' },
  },
  Location: {
    description: 'Temporary URL in the object store',
    schema: { type: 'string', format: 'uri' },
  },
  Upgrade: {
    description: 'The protocol that this path speaks',
    schema: { type: 'string', const: 'websocket' },
  },
} as const;
export type HeaderName = keyof typeof HEADERS;

/** The headers of every response to a principal; those of the rate limit unless there is none. */
export const COMMON_HEADERS = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
] as const satisfies readonly HeaderName[];

/** References to header components, by name. */
export function headers(...names: HeaderName[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
