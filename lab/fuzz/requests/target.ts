import fc, { type Arbitrary } from 'fast-check';
import type { RunInfo } from '../../../dev/launcher/home.ts';
import { Darkroom } from '../../../sdk/src/index.ts';
import type { Json } from '../../shared/http.ts';
import type { Principal } from '../principals.ts';
import { Finding, type Part } from '../run-part.ts';
import { judgeAnswer, type Operation, readOperations } from './operations.ts';
import { type RawRequest, renderRequest, sendRaw } from './raw-http.ts';

/** The running API that requests are sent to. */
export interface Target {
  origin: URL;
  /** Of every path. */
  prefix: string;
  /** Its OpenAPI document. */
  document: Json;
  operations: ReadonlyMap<string, Operation>;
  principals: ReadonlyMap<string, Principal>;
  /** Of the owner. */
  client: Darkroom;
  /** A document of the owner. */
  fileId: string;
}

/** Longer than the longest silence of the server. */
export const DEADLINE_MS = 90_000;
/** Files that the owner needs for a list of several pages. */
const FILES = 5;

/** Reads the document of a running API, and uploads a few small files. */
export async function openTarget(run: RunInfo, principals: readonly Principal[]): Promise<Target> {
  const { api_url: baseUrl, api_key: apiKey } = run;
  const client = new Darkroom({ baseUrl, apiKey });
  const document: Json = await (await client.send('GET', '/openapi.json')).json();
  let fileId = '';
  for (let at = 1; at <= FILES; at += 1) {
    const bytes = new Blob([`# Report ${at}\n\nThe harbour is quiet.\n`]);
    ({ file_id: fileId } = await client.upload(bytes, { filename: `report-${at}.md` }));
  }
  const { origin, pathname } = new URL(baseUrl);
  return {
    origin: new URL(origin),
    prefix: pathname,
    document,
    operations: new Map(readOperations(document).map((operation) => [operation.id, operation])),
    principals: new Map(principals.map((principal) => [principal.name, principal])),
    client,
    fileId,
  };
}

/** The caller and the operation of a generated request. */
export interface Addressed {
  principal: string;
  operation: string;
}

/** Any caller, but the owner's key as often as all others together: others are refused more, and read less. */
export function anyPrincipal({ principals }: Target): Arbitrary<string> {
  const [owner = '', ...others] = principals.keys();
  return fc.oneof(fc.constant(owner), fc.constantFrom(...others));
}

/** Any caller, and any operation whose body is of this type. */
export function addressed(
  target: Target,
  contentType: string,
): { principal: Arbitrary<string>; operation: Arbitrary<string> } {
  const suitable = [...target.operations.values()].filter(({ bodies }) => bodies.has(contentType));
  return {
    principal: anyPrincipal(target),
    operation: fc.constantFrom(...suitable.map(({ id }) => id)),
  };
}

/**
 * A part of the run that sends requests and compares the answers with the document. The server may close the connection
 * without an answer only if the request does not keep its declared length.
 *
 * @param render the request of an input, without credentials
 */
export function requestPart<Input extends Addressed>(
  target: Target,
  name: string,
  inputs: Arbitrary<Input>,
  render: (input: Input, operation: Operation) => Omit<RawRequest, 'method'>,
): Part<Input> {
  const { origin, principals } = target;
  const prepare = (input: Input): { operation: Operation; request: RawRequest } => {
    const operation = operationOf(target, input.operation);
    return { operation, request: { method: operation.method, ...render(input, operation) } };
  };
  return {
    name,
    inputs,
    deadlineMs: DEADLINE_MS,
    async handle(input) {
      const { operation, request } = prepare(input);
      const headers = { ...principals.get(input.principal)?.headers, ...request.headers };
      const answer = await sendRaw(origin, { ...request, headers });
      if (answer) return judgeAnswer(operation, answer);
      if (['exact', 'chunked'].includes(request.framing))
        throw new Finding(`${operation.id}: no answer`, 'the connection was closed without an answer');
      return { result: 'refused', code: 'closed' };
    },
    save: (input) =>
      Promise.resolve({ extension: 'http', bytes: renderRequest(prepare(input).request, origin.host) }),
  };
}

/** @throws Error if the document has no such operation */
export function operationOf({ operations }: Target, id: string): Operation {
  const operation = operations.get(id);
  if (!operation) throw new Error(`There is no operation ${id}.`);
  return operation;
}
