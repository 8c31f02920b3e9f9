import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import { idempotencyHeader } from './idempotent.ts';
import type { Route } from './route.ts';
import { TAGS } from './tags.ts';

/** The OpenAPI 3.1 document of the given routes, from the schemas that validate the requests. */
export function openApiDocument(routes: readonly Route[]): object {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: operation(route) };
  }
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Darkroom',
      version: '2',
      description: 'Media analysis on durable workflows. Every failure is visible, every wait has a reason.',
    },
    servers: [{ url: '/api/v2' }],
    security: [{ bearer: [] }, { apiKey: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key, `drk_…`' },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      },
    },
  });
}

function operation(route: Route): ZodOpenApiOperationObject {
  const { operationId, summary, tag, params, query, body, form, responses } = route;
  const requestParams = {
    ...(params && { path: params }),
    ...(query && { query }),
    ...('idempotent' in route && route.idempotent && { header: idempotencyHeader }),
  };
  return {
    operationId,
    summary,
    tags: [tag],
    ...('public' in route
      ? { description: 'Needs no key.', security: [] }
      : { description: `Needs ${route.permission} permission.` }),
    ...(Object.keys(requestParams).length > 0 && { requestParams }),
    ...(body && { requestBody: { content: { 'application/json': { schema: body } } } }),
    ...(form && { requestBody: { required: true, content: { 'multipart/form-data': { schema: form } } } }),
    responses,
  };
}
