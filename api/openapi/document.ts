import { createDocument, type CreateDocumentOptions, type ZodOpenApiPathsObject } from 'zod-openapi';
import { VERSION } from '../../domain/version.ts';
import { TEST_EVENT_TYPE, WEBHOOK_EVENTS } from '../../domain/webhooks/events.ts';
import type { Route } from '../http/route.ts';
import { TAGS } from '../http/tags.ts';
import { liveCommand, liveMessage } from '../live/messages.ts';
import { introduction } from './describe.ts';
import { addExamples } from './examples.ts';
import { HEADERS } from '../http/response-headers.ts';
import { EVENT_BODIES, eventHeaders } from '../resources/webhook-event.ts';
import { operation } from './operation.ts';

/** Formats that need no pattern: those of zod are longer than the rest of their field. */
const PLAIN_FORMATS = new Set(['uuid', 'date', 'date-time']);

/** Options for converting schemas to JSON Schema. */
export const SCHEMA_OPTIONS: CreateDocumentOptions = {
  override({ jsonSchema, zodSchema }) {
    // Answers are open to new fields, so only strict objects are closed.
    const { def } = zodSchema._zod;
    if (def.type === 'object' && !def.catchall) delete jsonSchema.additionalProperties;
    if (PLAIN_FORMATS.has(jsonSchema.format ?? '')) delete jsonSchema.pattern;
  },
};

export type OpenApiDocument = ReturnType<typeof createDocument>;

/** Components that a document describes, whether or not an operation uses them. */
const LIVE = { LiveCommand: liveCommand, LiveMessage: liveMessage };
type Components = Record<string, object>;
const REFERENCE = /"#\/components\/(\w+)\/([\w.-]+)"/g;

/** The OpenAPI 3.1 document of the given routes, from the schemas that validate the requests, for a server on https. */
export function openApiDocument(routes: readonly Route[]): OpenApiDocument {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    const path = pathOf(route);
    paths[path] = { ...paths[path], [route.method]: operation(route) };
  }
  const document = createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Darkroom',
        version: VERSION,
        description: introduction(),
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/api/v2', description: 'This server' }],
      security: [{ bearer: [] }, { apiKey: [] }, { session: [] }],
      tags: tagsOf(routes),
      paths,
      webhooks: eventRequests(),
      components: {
        headers: HEADERS,
        schemas: LIVE,
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: 'An API key, `drk_…`' },
          apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key, `drk_…`' },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: '__Host-session',
            description: 'The cookie of a login; named `session` on plain http',
          },
        },
      },
    },
    SCHEMA_OPTIONS,
  );
  return addExamples(document);
}

const pathOf = ({ path }: Route) => path.replaceAll(/:(\w+)/g, '{$1}');

const tagsOf = (routes: readonly Route[]) =>
  Object.entries(TAGS)
    .filter(([name]) => routes.some((route) => route.tag === name))
    .map(([name, description]) => ({ name, description }));

/** What `openApiDocument` returns for some routes of a document, out of that document: building one takes half a second. */
export function partOf(whole: OpenApiDocument, routes: readonly Route[]): OpenApiDocument {
  const paths: NonNullable<OpenApiDocument['paths']> = {};
  for (const route of routes) {
    const path = pathOf(route);
    paths[path] = { ...paths[path], [route.method]: whole.paths?.[path]?.[route.method] };
  }
  const { headers, securitySchemes, ...components } = whole.components as Record<string, Components>;
  const used: Record<string, Components> = { headers: headers ?? {}, securitySchemes: securitySchemes ?? {} };
  const keep = (kind: string, name: string): void => {
    const component = components[kind]?.[name];
    const kept = (used[kind] ??= {});
    if (component === undefined || name in kept) return;
    kept[name] = component;
    keepReferences(component);
  };
  const keepReferences = (part: object): void => {
    for (const [, kind = '', name = ''] of JSON.stringify(part).matchAll(REFERENCE)) keep(kind, name);
  };
  for (const name of Object.keys(LIVE)) keep('schemas', name);
  keepReferences([paths, whole.webhooks, used]);
  return { ...whole, tags: tagsOf(routes), paths, components: used };
}

/** The document with the name that the session cookie has on a server. */
export function withSessionCookie(document: OpenApiDocument, name: string): OpenApiDocument {
  const { securitySchemes } = document.components ?? {};
  const session = { ...securitySchemes?.['session'], type: 'apiKey', in: 'cookie', name } as const;
  return {
    ...document,
    components: { ...document.components, securitySchemes: { ...securitySchemes, session } },
  };
}

/**
 * The webhook request of each type of event. The bodies are request components rather than schemas: no
 * operation uses them, and client generators create a class for every schema.
 */
function eventRequests(): ZodOpenApiPathsObject {
  const summaries: Readonly<Record<string, { description: string }>> = {
    ...WEBHOOK_EVENTS,
    [TEST_EVENT_TYPE]: { description: 'Requested to test a webhook.' },
  };
  const requests = EVENT_BODIES.map(({ title, types, schema }) => {
    const requestBody = { id: title, required: true, content: { 'application/json': { schema } } };
    return types.map((type) => [
      type,
      {
        post: {
          summary: summaries[type]?.description,
          tags: ['Webhooks'],
          requestParams: { header: eventHeaders },
          requestBody,
          responses: { '2XX': { description: 'Received. After any other answer it is sent again' } },
        },
      },
    ]);
  });
  return Object.fromEntries(requests.flat());
}
