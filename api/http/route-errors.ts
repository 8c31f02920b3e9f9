import type { ErrorCode } from '../../domain/app-error.ts';
import type { Route } from './route.ts';

/** Errors of the body reader, of every operation with a JSON body. */
const BODY_ERRORS: readonly ErrorCode[] = ['BAD_REQUEST', 'FILE_TOO_LARGE', 'VALIDATION_FAILED'];
const KEY_ERRORS: readonly ErrorCode[] = ['VALIDATION_FAILED', 'IDEMPOTENCY_KEY_REUSED', 'REQUEST_IN_FLIGHT'];

/** Every refusal of an operation: those that follow from its declaration, and those that it declares. */
export function errorsOf(route: Route): ReadonlySet<ErrorCode> {
  const { query, form, body, errors = [] } = route;
  const codes = [...errors, ...accessErrors(route)];
  if (body) codes.push(...BODY_ERRORS);
  if (form || Object.keys(query?.shape ?? {}).length > 0) codes.push('VALIDATION_FAILED');
  if ('idempotent' in route && route.idempotent) codes.push(...KEY_ERRORS);
  return new Set(codes);
}

function accessErrors(route: Route): ErrorCode[] {
  if ('public' in route) return ['RATE_LIMITED'];
  const needsMore: ErrorCode[] = route.permission === 'VIEW' ? [] : ['FORBIDDEN'];
  return ['UNAUTHENTICATED', 'INSUFFICIENT_TIER', ...needsMore, 'SERVICE_UNAVAILABLE'];
}
