import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { ACTIONS, type Action } from '../../domain/accounts/access.ts';
import { idempotencyHeader } from '../http/idempotent.ts';
import type { Route } from '../http/route.ts';
import { errorResponses } from './error-responses.ts';
import { headers as headerRefs } from '../http/response-headers.ts';

/** One route in the OpenAPI document. */
export function operation(route: Route): ZodOpenApiOperationObject {
  const { operationId, summary, tag, params, query, headers, body, form, formAsJson, extension } = route;
  const isIdempotent = 'idempotent' in route && route.idempotent !== undefined;
  const header = z.object({ ...(isIdempotent && idempotencyHeader.shape), ...headers?.shape });
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
    ...('public' in route ? { description: 'Needs no key.', security: [] } : accessOf(route.permit)),
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
      ...(isIdempotent ? withReplayed(route.responses) : route.responses),
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

function accessOf(action: Action): Pick<ZodOpenApiOperationObject, 'description' | 'security'> {
  const rule = ACTIONS[action];
  const permission = 'permission' in rule ? `${rule.permission} permission` : 'no permission';
  return rule.by === 'session'
    ? { description: `Needs a login session and ${permission}.`, security: [{ session: [] }] }
    : { description: `Needs ${permission}; of an API key with scopes, \`${action}\`.` };
}
