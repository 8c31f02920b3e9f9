import { z } from 'zod';
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { ANSWERED_CODES, ERRORS, type AnsweredCode } from '../../domain/app-error.ts';
import { errorsOf } from '../http/route-errors.ts';
import type { Route } from '../http/route.ts';
import { COMMON_HEADERS, headers, type HeaderName } from '../http/response-headers.ts';
import { problem } from '../http/problem.ts';

/** The error responses of an operation by status, each with the codes that it may have. */
export function errorResponses(route: Route): ZodOpenApiResponsesObject {
  const given = errorsOf(route);
  const byStatus = new Map<number, AnsweredCode[]>();
  for (const code of ANSWERED_CODES) {
    if (code !== 'INTERNAL' && !given.has(code)) continue;
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries([...byStatus].map(([status, codes]) => [`${status}`, errorResponse(codes)]));
}

/** Operations with the same codes share a component. */
const made = new Map<string, ZodOpenApiResponseObject>();

function errorResponse(codes: readonly AnsweredCode[]): ZodOpenApiResponseObject {
  const id = codes.map(pascalCase).join('Or');
  const known = made.get(id);
  if (known) return known;
  const narrowed = z.object({ code: z.enum(codes) }).meta({ description: 'The codes of this response' });
  const response: ZodOpenApiResponseObject = {
    id,
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].means}.`).join(' '),
    headers: headers(...headerNames(codes)),
    content: { 'application/json': { schema: z.intersection(problem, narrowed) } },
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
