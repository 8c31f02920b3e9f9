import { z } from 'zod';
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { COMMON_HEADERS, headers } from './response-headers.ts';

const DONE = { 200: 'Done', 201: 'Created', 202: 'Accepted; work continues in the background' } as const;

type JsonStatus = keyof typeof DONE;

/** The successful answers of an operation by status: the schema of a JSON body, or a response without one. */
export type Answers = { readonly [Status in JsonStatus]?: z.ZodType | ZodOpenApiResponseObject } & {
  readonly [Status in 101 | 204 | 302]?: ZodOpenApiResponseObject;
};

/**
 * The value that a handler returns: the input of one of its answers' schemas, or nothing for one without
 * JSON.
 */
export type BodyOf<A extends Answers> = {
  [Status in keyof A]: A[Status] extends z.ZodType ? z.input<A[Status]> : void;
}[keyof A];

/**
 * Converts the answers to responses of the OpenAPI document.
 *
 * @param accepted meaning of 202
 */
export function toResponses({
  answers,
  accepted = DONE[202],
}: {
  answers: Answers;
  accepted?: string;
}): ZodOpenApiResponsesObject {
  const meanings = { ...DONE, 202: accepted };
  const responses = Object.entries(answers).map(([status, answer]) => [
    status,
    answer instanceof z.ZodType ? json(meanings[Number(status) as JsonStatus], answer) : answer,
  ]);
  return Object.fromEntries(responses);
}

function json(description: string, schema: z.ZodType): ZodOpenApiResponseObject {
  return { description, headers: headers(...COMMON_HEADERS), content: { 'application/json': { schema } } };
}

/** Maps the schemas of JSON bodies. */
export function mapJson(answers: Answers, change: (schema: z.ZodType) => z.ZodType): Answers {
  const changed = Object.entries(answers).map(([status, answer]) => [
    status,
    answer instanceof z.ZodType ? change(answer) : answer,
  ]);
  return Object.fromEntries(changed);
}

export function redirect(description: string): ZodOpenApiResponseObject {
  return { description, headers: headers(...COMMON_HEADERS, 'Location') };
}

export function noContent(description: string): ZodOpenApiResponseObject {
  return { description, headers: headers(...COMMON_HEADERS) };
}

export function webSocket(description: string): ZodOpenApiResponseObject {
  return { description, headers: headers('Upgrade') };
}

/** JSON, or server-sent events for a client that accepts those. */
export function jsonOrEvents(
  description: string,
  schema: z.ZodType,
  events: readonly z.ZodType[],
): ZodOpenApiResponseObject {
  return {
    description,
    headers: headers(...COMMON_HEADERS),
    content: { 'application/json': { schema }, 'text/event-stream': { schema: z.union(events) } },
  };
}

/** @param event schema of the JSON in `data` of each event */
export function eventStream(description: string, event: z.ZodType): ZodOpenApiResponseObject {
  return {
    description,
    headers: headers(...COMMON_HEADERS),
    content: { 'text/event-stream': { schema: event } },
  };
}
