import { z } from 'zod';
import type { ZodOpenApiResponsesObject } from 'zod-openapi';
import { COMMON_HEADERS, headers } from './response-headers.ts';

/** A JSON response of one status. */
export function json(status: 200 | 201 | 202, schema: z.ZodType): ZodOpenApiResponsesObject {
  const content = { 'application/json': { schema } };
  return { [`${status}`]: { description: DONE[status], headers: headers(...COMMON_HEADERS), content } };
}

const DONE = { 200: 'Done', 201: 'Created', 202: 'Accepted; work continues in the background' } as const;

/** Replaces the schema of the JSON body in successful responses. */
export function mapJson(
  responses: ZodOpenApiResponsesObject,
  change: (schema: z.ZodType) => z.ZodType,
): ZodOpenApiResponsesObject {
  const changed = Object.entries(responses).map(([status, response]) => {
    const schema = 'content' in response ? response.content?.['application/json']?.schema : undefined;
    if (!(schema instanceof z.ZodType)) return [status, response];
    return [status, { ...response, content: { 'application/json': { schema: change(schema) } } }];
  });
  return Object.fromEntries(changed);
}

export function redirect(description: string): ZodOpenApiResponsesObject {
  return { '302': { description, headers: headers(...COMMON_HEADERS, 'Location') } };
}

export function noContent(description: string): ZodOpenApiResponsesObject {
  return { '204': { description, headers: headers(...COMMON_HEADERS) } };
}

export function webSocket(description: string): ZodOpenApiResponsesObject {
  return { '101': { description, headers: headers('Upgrade') } };
}

/**
 * @param event schema of the JSON in `data` of each event
 * @param ended description of 204: no further events, so clients must not reconnect
 */
export function eventStream(description: string, event: z.ZodType, ended: string): ZodOpenApiResponsesObject {
  return {
    '200': {
      description,
      headers: headers(...COMMON_HEADERS),
      content: { 'text/event-stream': { schema: event } },
    },
    '204': { description: ended, headers: headers(...COMMON_HEADERS) },
  };
}
