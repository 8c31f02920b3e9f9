import { z } from 'zod';
import type {
  ZodOpenApiOperationObject,
  ZodOpenApiResponseObject,
  ZodOpenApiResponsesObject,
} from 'zod-openapi';
import { ACTIONS } from '../../domain/accounts/access.ts';
import { ANSWERED_CODES, ERRORS, type AnsweredCode, type ErrorCode } from '../../domain/app-error.ts';
import { idempotencyHeader } from '../http/idempotent.ts';
import { requestIdHeader } from '../http/request-context.ts';
import type { Route } from '../http/route.ts';
import { problem } from '../http/problem.ts';
import { describe } from './describe.ts';
import { toResponses } from '../http/responses.ts';
import { COMMON_HEADERS, headers as headerRefs, type HeaderName } from '../http/response-headers.ts';

/** Errors of every operation: text that cannot be stored is rejected, also in the path, which counts as part of the headers. */
const COMMON_ERRORS: readonly ErrorCode[] = ['VALIDATION_FAILED', 'HEADERS_TOO_LARGE'];
/** Errors of every operation with a JSON body, from the body reader. */
const BODY_ERRORS: readonly ErrorCode[] = ['BAD_REQUEST', 'UPLOAD_TOO_SLOW', 'FILE_TOO_LARGE'];
const KEY_ERRORS: readonly ErrorCode[] = ['IDEMPOTENCY_KEY_REUSED', 'REQUEST_IN_FLIGHT'];
/** Errors of every write: with a full disk, only reads work. */
const WRITE_ERRORS: readonly ErrorCode[] = ['STORAGE_FULL'];

/** One route in the OpenAPI document. */
export function operation(route: Route): ZodOpenApiOperationObject {
  const { operationId, summary, tag, params, query, headers, body, form, formAsJson, extension } = route;
  const isIdempotent = 'idempotent' in route && route.idempotent !== undefined;
  const header = z.object({
    ...(isIdempotent && idempotencyHeader.shape),
    // Works around Python generators, which need an optional parameter beside two kinds of body.
    ...(formAsJson && requestIdHeader.shape),
    ...headers?.shape,
  });
  const requestParams = {
    ...(params && { path: params }),
    ...(query && { query }),
    ...(Object.keys(header.shape).length > 0 && { header }),
  };
  return {
    operationId,
    summary,
    tags: [tag],
    ...(route.deprecated && { deprecated: true }),
    description: describe(route),
    ...securityOf(route),
    ...(Object.keys(requestParams).length > 0 && { requestParams }),
    ...(body && {
      // A missing body reads as `{}`.
      requestBody: {
        required: !body.safeParse({}).success,
        content: { 'application/json': { schema: body } },
      },
    }),
    ...(form && {
      requestBody: {
        required: true,
        content: {
          'multipart/form-data': { schema: form },
          ...(formAsJson && { 'application/json': { schema: formAsJson } }),
        },
      },
    }),
    responses: {
      ...(isIdempotent ? withReplayed(toResponses(route)) : toResponses(route)),
      ...errorResponses(route),
    },
    ...extension,
  };
}

function withReplayed(responses: ZodOpenApiResponsesObject): ZodOpenApiResponsesObject {
  const replayed = headerRefs('Idempotency-Replayed');
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => [
      status,
      '$ref' in response ? response : { ...response, headers: { ...response.headers, ...replayed } },
    ]),
  );
}

/** The security of an operation; without the field, the default of the document applies. */
function securityOf(route: Route): Pick<ZodOpenApiOperationObject, 'security'> {
  if ('public' in route) return { security: [] };
  return ACTIONS[route.permit].by === 'session' ? { security: [{ session: [] }] } : {};
}

/** The error responses of an operation by status, each with its possible codes. */
function errorResponses(route: Route): ZodOpenApiResponsesObject {
  const given = errorsOf(route);
  const byStatus = new Map<number, AnsweredCode[]>();
  for (const code of ANSWERED_CODES) {
    if (code !== 'INTERNAL' && !given.has(code)) continue;
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries([...byStatus].map(([status, codes]) => [`${status}`, errorResponse(codes)]));
}

/**
 * Operations with the same codes share a component; all have the same schema, and `x-codes` lists the codes.
 */
const made = new Map<string, ZodOpenApiResponseObject>();

function errorResponse(codes: readonly AnsweredCode[]): ZodOpenApiResponseObject {
  const id = codes.map(pascalCase).join('Or');
  const known = made.get(id);
  if (known) return known;
  const response: ZodOpenApiResponseObject = {
    id,
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].means}.`).join(' '),
    headers: headerRefs(...headerNames(codes)),
    content: { 'application/json': { schema: problem } },
    'x-codes': codes,
  };
  made.set(id, response);
  return response;
}

function headerNames(codes: readonly AnsweredCode[]): HeaderName[] {
  return [
    ...COMMON_HEADERS,
    ...(codes.some((code) => ERRORS[code].again) ? (['Retry-After'] as const) : []),
    ...(codes.some((code) => ERRORS[code].final) ? (['x-should-retry'] as const) : []),
    ...(codes.includes('UNAUTHENTICATED') ? (['WWW-Authenticate'] as const) : []),
    ...(codes.includes('UPGRADE_REQUIRED') ? (['Upgrade'] as const) : []),
  ];
}

/** `NOT_FOUND` as `NotFound`. */
function pascalCase(code: string): string {
  return code.toLowerCase().replaceAll(/(?:^|_)(\w)/g, (_match, letter: string) => letter.toUpperCase());
}

/** All error codes of an operation: those derived from its declaration, and those declared explicitly. */
function errorsOf(route: Route): ReadonlySet<ErrorCode> {
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
