import {
  maxHeaderSize,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { Logger } from 'pino';
import { z } from 'zod';
import { AppError, notFound } from '../../domain/app-error.ts';
import type { Principal } from '../../services/accounts/principal.ts';
import { idempotencyHeader } from '../http/idempotent.ts';
import type { ProtectedRoute, Route } from '../http/route.ts';
import { validate } from '../http/validate.ts';
import { ROUTES } from '../routes/index.ts';
import { clipJson } from './clip-json.ts';
import type { LocalClient } from './local-client.ts';

/** Headers passed on to the operation, which authenticates the caller by them. */
const PASSED_ON = ['authorization', 'x-api-key', 'cookie', 'origin', 'sec-fetch-site', 'host', 'user-agent'];
/** Twice the size of an answer of 100 files whose texts were all cut. */
const MAX_ANSWER_CHARACTERS = 2 * 1024 * 1024;
/** A UUID; of a file, the first 8 characters are enough. */
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})?$/i;
/** Argument of the tools whose operation takes an Idempotency-Key. */
export const IDEMPOTENCY_KEY = 'idempotency_key';

/** The request to `/mcp` on whose behalf operations are called. */
export interface Caller {
  principal: Principal;
  headers: IncomingHttpHeaders;
  clientAddress: string;
  requestId: string;
  log: Logger;
  response: ServerResponse;
  send: LocalClient;
  /** Called when an operation is called, which counts the request. */
  onCall: () => void;
}

export type Arguments = Readonly<Record<string, unknown>>;

/** The operation with this id. Throws a TypeError for an unknown one, or one that needs no API key. */
export function operationOf(operationId: string): ProtectedRoute {
  const isAsked = (route: Route) => route.operationId === operationId;
  const found = ROUTES.find((route): route is ProtectedRoute => isAsked(route) && 'permit' in route);
  if (!found) throw new TypeError(`there is no operation ${operationId}`);
  return found;
}

/** Schema of the JSON body of an operation, including one that takes a form instead. */
export function bodyOf({ body, formAsJson }: ProtectedRoute): z.ZodType | undefined {
  return body ?? formAsJson;
}

export interface OperationAnswer {
  status: number;
  /** The JSON; undefined for a redirect. */
  body: unknown;
  retryAfterSeconds: number | undefined;
}

/**
 * Calls an operation as its own HTTP request, so that it is authenticated, limited, validated and recorded like any other,
 * under the id of the caller's request.
 *
 * @param options.longestText maximum length in characters of each text in the answer
 * @throws AppError VALIDATION_FAILED, NOT_FOUND, BAD_REQUEST for arguments that do not form a request;
 *   FILE_TOO_LARGE, CLIENT_GONE
 */
export async function callOperation(
  { headers, clientAddress, requestId, send, onCall }: Caller,
  route: ProtectedRoute,
  given: Arguments,
  options: { longestText: number; signal: AbortSignal },
): Promise<OperationAnswer> {
  const { signal } = options;
  const request = requestOf(route, given);
  // The HTTP parser would reject a longer path before it reaches the operation.
  if (request.path.length > maxHeaderSize) throw new AppError('BAD_REQUEST', 'the arguments are too long');
  const passedOn = PASSED_ON.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]]));
  onCall();
  try {
    const response = await send({
      ...request,
      headers: { ...Object.fromEntries(passedOn), ...request.headers, 'x-request-id': requestId },
      clientAddress,
      signal,
    });
    const retryAfter = response.headers['retry-after'];
    return {
      status: response.statusCode ?? 0,
      body: await readJson(response, options.longestText),
      retryAfterSeconds: retryAfter === undefined ? undefined : Number(retryAfter),
    };
  } catch (error) {
    if (signal.aborted) throw new AppError('CLIENT_GONE', 'the client disconnected', {}, { cause: error });
    throw error;
  }
}

/** The request that calls an operation; the arguments have the names of its fields. */
export function requestOf(route: ProtectedRoute, given: Arguments) {
  const { params = z.object(), query = z.object() } = route;
  const body = bodyOf(route);
  const { [IDEMPOTENCY_KEY]: key, ...fields } = given;
  const isKeyed = route.idempotent !== undefined && key !== undefined && key !== null;
  const all = Object.entries(fields);
  const isOf = (shape: object, [name]: [string, unknown]) => Object.hasOwn(shape, name);
  const inPath = all
    .filter((field) => isOf(params.shape, field))
    .map(([name, value]) => [name, asText(value)]);
  const others = all.filter((field) => !isOf(params.shape, field));
  const bodyShape = body instanceof z.ZodObject ? body.shape : {};
  // An unknown field goes into the body, if there is one, where the operation rejects it.
  const isInQuery = (field: [string, unknown]) =>
    !body || (isOf(query.shape, field) && !isOf(bodyShape, field));
  const segments = validate(params, Object.fromEntries(inPath), 'path');
  const path = route.path.replaceAll(/:(\w+)/g, (_match, name: string) => {
    const value = String(segments[name]);
    // Any other text in its place could lead to the path of another operation.
    if (name.endsWith('_id') && !ID.test(value)) throw notFound(name.slice(0, -'_id'.length));
    return encodeURIComponent(value);
  });
  const search = searchOf(others.filter(isInQuery));
  return {
    method: route.method.toUpperCase(),
    path: `/api/v2${path}${search === '' ? '' : `?${search}`}`,
    headers: {
      ...(body && { 'content-type': 'application/json' }),
      ...(isKeyed && validate(idempotencyHeader, { 'Idempotency-Key': key }, 'header')),
    },
    body: body && JSON.stringify(Object.fromEntries(others.filter((field) => !isInQuery(field)))),
  };
}

/** Encodes a list as a repeated parameter, and an empty list as a parameter without a value. */
function searchOf(fields: readonly [string, unknown][]): string {
  const search = new URLSearchParams();
  for (const [name, value] of fields) {
    if (value === undefined || value === null) continue;
    const values = [value].flat();
    for (const one of values.length === 0 ? [''] : values) search.append(name, asText(one));
  }
  return search.toString();
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

async function readJson(response: IncomingMessage, longestText: number): Promise<unknown> {
  response.setEncoding('utf8');
  if (!response.headers['content-type']?.includes('json')) {
    response.resume();
    if (Number(response.statusCode) >= 400) throw new Error(`the operation answered ${response.statusCode}`);
    return undefined;
  }
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of clipJson(response, longestText)) {
    length += part.length;
    if (length > MAX_ANSWER_CHARACTERS) {
      response.destroy();
      throw new AppError('FILE_TOO_LARGE', 'the answer is too long to be read at once; ask for less of it');
    }
    // A copy: a part may keep the memory of the text that was cut from it alive.
    parts.push(Buffer.from(part));
  }
  return JSON.parse(Buffer.concat(parts).toString());
}
