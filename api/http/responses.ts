import { z } from 'zod';
import type { ZodOpenApiResponsesObject } from 'zod-openapi';

/** The body of every error answer, as the document shows it. */
const problem = z
  .object({
    detail: z.string(),
    code: z.string(),
    request_id: z.string(),
    errors: z.array(z.object({ pointer: z.string(), message: z.string() })).optional(),
    error_count: z.number().optional().meta({ description: 'How many there are; errors lists up to 20' }),
    suggestion: z.object({ endpoint: z.string(), message: z.string() }).optional(),
  })
  .meta({ id: 'Problem' });

const refused = {
  '4XX': { description: 'Refused, with the reason', content: { 'application/json': { schema: problem } } },
  '5XX': { description: 'An outage or a defect', content: { 'application/json': { schema: problem } } },
} as const;

/** A JSON answer of one status, and the errors that every operation may give. */
export function json(status: 200 | 201 | 202, schema: z.ZodType): ZodOpenApiResponsesObject {
  return { [`${status}`]: { description: 'OK', content: { 'application/json': { schema } } }, ...refused };
}

/** The same answers, with another schema for the JSON body of a success. */
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

/** @param over when there is nothing more to come, so that nobody shall connect again */
export function eventStream(description: string, over: string): ZodOpenApiResponsesObject {
  return {
    '200': { description, content: { 'text/event-stream': { schema: z.string() } } },
    '204': { description: over },
    ...refused,
  };
}
