import { ACTIONS } from '../../domain/accounts/access.ts';
import type { ErrorCode } from '../../domain/app-error.ts';
import type { Route } from './route.ts';

/** Every operation refuses text that cannot be stored, also in its path. */
const COMMON_ERRORS: readonly ErrorCode[] = ['VALIDATION_FAILED'];
/** Errors of the body reader, of every operation with a JSON body. */
const BODY_ERRORS: readonly ErrorCode[] = ['BAD_REQUEST', 'UPLOAD_TOO_SLOW', 'FILE_TOO_LARGE'];
const KEY_ERRORS: readonly ErrorCode[] = ['IDEMPOTENCY_KEY_REUSED', 'REQUEST_IN_FLIGHT'];
/** Only reads work with a full disk. */
const WRITE_ERRORS: readonly ErrorCode[] = ['STORAGE_FULL'];

/** Every refusal of an operation: those that follow from its declaration, and those that it declares. */
export function errorsOf(route: Route): ReadonlySet<ErrorCode> {
  const { body, errors = [] } = route;
  const codes = [...COMMON_ERRORS, ...errors, ...accessErrors(route)];
  if (body) codes.push(...BODY_ERRORS);
  if ('idempotent' in route && route.idempotent) codes.push(...KEY_ERRORS);
  return new Set(codes);
}

function accessErrors(route: Route): ErrorCode[] {
  if ('public' in route) return ['RATE_LIMITED'];
  const { by } = ACTIONS[route.permit];
  const writes = route.method === 'get' ? [] : WRITE_ERRORS;
  return [
    'UNAUTHENTICATED',
    'TENANT_DISABLED',
    'FORBIDDEN',
    'INSUFFICIENT_TIER',
    'FOREIGN_ORIGIN',
    ...(by === 'session' ? (['LOGIN_SESSION_REQUIRED'] as const) : []),
    'RATE_LIMITED',
    ...writes,
    'SERVICE_UNAVAILABLE',
  ];
}
