import createClient, { mergeHeaders, type HeadersOptions, type MaybeOptionalInit } from 'openapi-fetch';
import { ApiError } from './errors.ts';
import type { paths } from './openapi.ts';
import type { SendOptions, Transport } from './transport.ts';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The paths of the API that have this method. */
export type PathsOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, object> ? P : never;
}[keyof paths];

type Success = 200 | 201 | 202;

/** The response body of an operation: JSON, or undefined. */
export type Data<P extends keyof paths, M extends Method> = paths[P][M] extends { responses: infer R }
  ? {
      [S in keyof R & Success]: R[S] extends { content: { 'application/json': infer B } } ? B : undefined;
    }[keyof R & Success]
  : never;

/** The JSON request body of an operation. */
export type Body<P extends PathsOf<'post'>> = paths[P]['post'] extends {
  requestBody?: { content: { 'application/json': infer B } };
}
  ? B
  : never;

/** The query parameters of an operation. */
export type Query<P extends PathsOf<'get'>> = paths[P]['get'] extends { parameters: { query?: infer Q } }
  ? Q
  : never;

/** Parameters and body of an operation in the format of `openapi-fetch`, and options for sending it. */
type Init<P extends keyof paths, M extends Method> = Omit<
  NonNullable<MaybeOptionalInit<paths[P], M>>,
  'baseUrl' | 'fetch' | 'middleware' | 'parseAs' | 'redirect' | 'signal'
> &
  SendOptions;
type Inits<P extends keyof paths, M extends Method> =
  undefined extends MaybeOptionalInit<paths[P], M> ? [init?: Init<P, M>] : [init: Init<P, M>];

/**
 * Calls an operation.
 *
 * @returns its JSON body as `data`; other bodies are unread in `response`
 * @throws ApiError, ConnectionError, the reason of the signal
 */
type Call<M extends Method> = <P extends PathsOf<M>>(
  path: P,
  ...init: Inits<P, M>
) => Promise<{ data: Data<P, M>; response: Response }>;

/** Every operation of the API, typed by the OpenAPI document. */
export interface Api {
  GET: Call<'get'>;
  POST: Call<'post'>;
  PUT: Call<'put'>;
  PATCH: Call<'patch'>;
  DELETE: Call<'delete'>;
}

/** Operations that accept an `Idempotency-Key`. */
type Keyed = {
  [P in PathsOf<'post'>]: paths[P]['post'] extends { parameters: { header?: infer H } }
    ? [Extract<H, { 'Idempotency-Key'?: string }>] extends [never]
      ? never
      : P
    : never;
}[PathsOf<'post'>];
const KEYED = {
  '/files/direct-uploads': true,
  '/files/direct-uploads/{upload_id}/complete': true,
  '/files/links': true,
  '/files/links/batch': true,
  '/files/export': true,
  '/data/export': true,
  '/imports': true,
  '/reprocessing': true,
  '/files/{file_id}/splits': true,
  '/folders': true,
  '/projects': true,
  '/files/ask': true,
  '/extract': true,
  '/extraction-schemas': true,
  '/uploads/request-presigned-url': true,
  '/uploads/batch-prepare': true,
} satisfies Record<Keyed, true>;

/** POST operations that are idempotent without a key. */
const REPEATABLE: readonly PathsOf<'post'>[] = [
  '/files/search',
  '/files/check-duplicates',
  '/files/batch-delete',
  '/files/direct-uploads/{upload_id}/parts/confirm',
  '/files/direct-uploads/{upload_id}/parts/retry',
  '/extraction-schemas/validate',
  '/usage/check',
];

/** The operations of the API, sent over a transport. */
export function createApi(transport: Transport): Api {
  const client = createClient<Record<string, never>>({ baseUrl: transport.baseUrl });

  function call(method: Uppercase<Method>) {
    return async (path: string, init: Record<string, unknown> & SendOptions = {}) => {
      const { timeoutMs, retries, signal, onRetry, ...options } = init;
      const isKeyed = method === 'POST' && path in KEYED;
      const repeatable = method !== 'POST' || isKeyed || (REPEATABLE as readonly string[]).includes(path);
      const given = init['headers'] as HeadersOptions | undefined;
      const headers = mergeHeaders(
        isKeyed ? { 'Idempotency-Key': crypto.randomUUID() } : {},
        Array.isArray(given) ? new Headers(given) : given,
      );
      let response = new Response();
      const send = async (request: Request) => {
        response = await transport.send(() => request.clone(), {
          signal,
          timeoutMs,
          retries,
          onRetry,
          repeatable,
        });
        // openapi-fetch reads only JSON; other bodies are left to the caller.
        return isJson(response) ? response : new Response(null, { status: 204 });
      };
      const { data } = await client.request(
        method.toLowerCase() as never,
        path as never,
        { ...options, headers, fetch: send } as never,
      );
      return { data, response };
    };
  }
  return {
    GET: call('GET'),
    POST: call('POST'),
    PUT: call('PUT'),
    PATCH: call('PATCH'),
    DELETE: call('DELETE'),
  } as unknown as Api;
}

/** Whether the body is JSON. @throws ApiError NOT_AN_API for HTML, which comes from a proxy or another server */
function isJson({ status, headers }: Response): boolean {
  const type = headers.get('content-type') ?? '';
  if (type.includes('text/html'))
    throw new ApiError('NOT_AN_API', 'the server is not a Darkroom API', { status });
  return type.includes('json');
}
