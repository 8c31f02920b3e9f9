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

/** What an operation answers: JSON, or undefined. */
export type Data<P extends keyof paths, M extends Method> = paths[P][M] extends { responses: infer R }
  ? {
      [S in keyof R & Success]: R[S] extends { content: { 'application/json': infer B } } ? B : undefined;
    }[keyof R & Success]
  : never;

/** The JSON body that an operation takes. */
export type Body<P extends PathsOf<'post'>> = paths[P]['post'] extends {
  requestBody?: { content: { 'application/json': infer B } };
}
  ? B
  : never;

/** The parameters of the query of a list. */
export type Query<P extends PathsOf<'get'>> = paths[P]['get'] extends { parameters: { query?: infer Q } }
  ? Q
  : never;

/** Parameters and body of an operation, as `openapi-fetch` takes them, and how it is sent. */
type Init<P extends keyof paths, M extends Method> = Omit<
  NonNullable<MaybeOptionalInit<paths[P], M>>,
  'baseUrl' | 'fetch' | 'middleware' | 'parseAs' | 'redirect' | 'signal'
> &
  SendOptions;
type Inits<P extends keyof paths, M extends Method> =
  undefined extends MaybeOptionalInit<paths[P], M> ? [init?: Init<P, M>] : [init: Init<P, M>];

/**
 * Sends an operation.
 *
 * @returns its answer; what is not JSON is still to be read from the response
 * @throws ApiError, ConnectionError, the reason of the signal
 */
type Call<M extends Method> = <P extends PathsOf<M>>(
  path: P,
  ...init: Inits<P, M>
) => Promise<{ data: Data<P, M>; response: Response }>;

/** Every operation of the API, typed by its document. */
export interface Api {
  GET: Call<'get'>;
  POST: Call<'post'>;
  PUT: Call<'put'>;
  PATCH: Call<'patch'>;
  DELETE: Call<'delete'>;
}

/** Operations that take an `Idempotency-Key`. */
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
  '/folders': true,
  '/projects': true,
  '/extract': true,
  '/extraction-schemas': true,
  '/uploads/request-presigned-url': true,
  '/uploads/batch-prepare': true,
} satisfies Record<Keyed, true>;

/** Operations that only read, or do the same again. */
const REPEATABLE: readonly PathsOf<'post'>[] = [
  '/files/search',
  '/files/check-duplicates',
  '/files/batch-delete',
  '/files/direct-uploads/{upload_id}/parts/confirm',
  '/files/direct-uploads/{upload_id}/parts/retry',
  '/extraction-schemas/validate',
  '/usage/check',
];

/** The operations of the API behind a transport. */
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
        // Only JSON is read here.
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

/** @throws ApiError NOT_AN_API for a page, which a proxy or another server answers */
function isJson({ status, headers }: Response): boolean {
  const type = headers.get('content-type') ?? '';
  if (type.includes('text/html'))
    throw new ApiError('NOT_AN_API', 'the server is not a Darkroom API', { status });
  return type.includes('json');
}
