import type { Json } from '../../shared/http.ts';
import { Finding, type Outcome } from '../run-part.ts';
import type { RawAnswer } from './raw-http.ts';

/** What the OpenAPI document says about an operation. */
export interface Operation {
  id: string;
  method: string;
  /** With parameters in braces. */
  path: string;
  /** By content type. */
  bodies: ReadonlyMap<string, { schema: Json; example: Json }>;
  /** The error codes of each documented status; empty for successes. */
  codes: ReadonlyMap<number, ReadonlySet<string>>;
}

/** The event stream of an open session never ends. The others invalidate the credentials of the run. */
export const NOT_SENT: readonly string[] = ['streamUploadSessionEvents', 'logOut', 'deleteAccount'];
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** The operations of an OpenAPI document, except those that are not sent. */
export function readOperations(document: Json): Operation[] {
  const resolve = (value: Json): Json => (value?.$ref === undefined ? value : follow(document, value.$ref));
  return Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method] && !NOT_SENT.includes(item[method].operationId)).map((method) => {
      const { operationId: id, requestBody, responses } = item[method];
      const bodies = Object.entries<Json>(resolve(requestBody)?.content ?? {}).map(
        ([type, { schema, examples }]) => {
          const [first] = Object.values<Json>(examples ?? {});
          return [type, { schema: resolve(schema), example: resolve(first)?.value }] as const;
        },
      );
      const codes = Object.entries<Json>(responses).map(
        ([status, response]) => [Number(status), new Set<string>(resolve(response)['x-codes'])] as const,
      );
      return { id, method: method.toUpperCase(), path, bodies: new Map(bodies), codes: new Map(codes) };
    }),
  );
}

function follow(document: Json, reference: string): Json {
  return reference
    .slice('#/'.length)
    .split('/')
    .reduce<Json>((at, name) => at?.[name.replaceAll('~1', '/').replaceAll('~0', '~')], document);
}

const NO_ID = '00000000-0000-4000-8000-000000000000';

/** A path of the operation, for a given file and otherwise for resources that do not exist. */
export function pathOf({ path }: Operation, fileId: string): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    name === 'file_id' || name === 'image_id' ? fileId : name === 'page_number' ? '1' : NO_ID,
  );
}

/**
 * Compares an answer with the document.
 *
 * @throws Finding for a 5xx, for a status or a code that the operation does not document, and for an error of another
 *   shape
 */
export function judgeAnswer({ id, codes }: Operation, { status, headers, body }: RawAnswer): Outcome {
  const finding = (problem: string): Finding =>
    new Finding(`${status} of ${id}: ${problem}`, body.slice(0, 2000));
  if (status >= 500) throw finding(codeOf(body) ?? 'a server error');
  const documented = codes.get(status);
  if (!documented) throw finding('a status that is not documented');
  if (status < 400) return { result: 'accepted', code: `${status}` };
  if (!headers.get('content-type')?.startsWith('application/json'))
    throw finding('an error that is not JSON');
  const code = codeOf(body);
  if (code === undefined) throw finding('an error of another shape');
  if (!documented.has(code)) throw finding(`the code ${code} is not documented`);
  return { result: 'refused', code };
}

/** The code of an error response of the common shape. */
function codeOf(body: string): string | undefined {
  try {
    const { detail, code, request_id: requestId } = JSON.parse(body) as Record<string, unknown>;
    const isProblem = typeof detail === 'string' && typeof requestId === 'string' && typeof code === 'string';
    return isProblem ? code : undefined;
  } catch {
    return undefined;
  }
}
