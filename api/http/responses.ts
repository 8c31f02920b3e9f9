import { z } from 'zod';
import type { ZodOpenApiResponsesObject } from 'zod-openapi';

/** Schema of every error response. */
const problem = z
  .object({
    detail: z.string(),
    code: z.string(),
    request_id: z.string(),
    errors: z.array(z.object({ pointer: z.string(), message: z.string() })).optional(),
    error_count: z
      .number()
      .optional()
      .meta({ description: 'Total number of errors; `errors` lists up to 20' }),
    suggestion: z.object({ endpoint: z.string(), message: z.string() }).optional(),
  })
  .meta({ id: 'Problem' });

const refused = {
  '4XX': { description: 'Refused, with the reason', content: { 'application/json': { schema: problem } } },
  '5XX': { description: 'An outage or a defect', content: { 'application/json': { schema: problem } } },
} as const;

/** A JSON response of one status, and the errors that every operation may return. */
export function json(status: 200 | 201 | 202, schema: z.ZodType): ZodOpenApiResponsesObject {
  return { [`${status}`]: { description: 'OK', content: { 'application/json': { schema } } }, ...refused };
}

/** Replaces the schema of the JSON body in successful responses. */
export function mapJson(
  responses: ZodOpenApiResponsesObject,
  change: (schema: z.ZodType) => z.ZodType,
): ZodOpenApiResponsesObject {
  const changed = Object.entries(responses).map(([status, response]) => {
    const schema = 'content' in response ? response.content?.['application/json']?.schema : undefined;
    if (!status.startsWith('2') || !(schema instanceof z.ZodType)) return [status, response];
    return [status, { ...response, content: { 'application/json': { schema: change(schema) } } }];
  });
  return Object.fromEntries(changed);
}

export function redirect(description: string): ZodOpenApiResponsesObject {
  return { '302': { description }, ...refused };
}

export function webSocket(description: string): ZodOpenApiResponsesObject {
  return { '101': { description }, ...refused };
}

/** @param ended description of 204: no further events, so clients must not reconnect */
export function eventStream(description: string, ended: string): ZodOpenApiResponsesObject {
  return {
    '200': { description, content: { 'text/event-stream': { schema: z.string() } } },
    '204': { description: ended },
    ...refused,
  };
}
