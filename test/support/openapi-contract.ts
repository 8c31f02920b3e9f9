import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Json } from './api.ts';
import type { Observed, ObservedAnswer } from './observed-answers.ts';

/** Compares responses with an OpenAPI document. */
export interface OpenApiContract {
  /** The operation of a request; undefined if there is none. */
  operationOf(method: string, path: string): { id: string; template: string } | undefined;
  /** The deviations of a response or message from the document; empty without any, or without an operation. */
  breachesOf(observed: Observed): string[];
}

interface Operation {
  id: string;
  /** The path in the document, with parameters as `{name}`. */
  template: string;
  method: string;
  path: RegExp;
  /** JSON pointer to the operation. */
  pointer: string;
  responses: Json;
}

/** @param document an OpenAPI document, as JSON */
export function createOpenApiContract(document: Json): OpenApiContract {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema(document, 'document');
  const operations = readOperations(document);
  const documented = Object.keys(document.components.headers).map((name) => name.toLowerCase());

  function find(method: string, path: string): Operation | undefined {
    // Only the most specific path applies, whatever its methods.
    const resource = operations.find((one) => one.path.test(path))?.template;
    return operations.find((one) => one.method === method && one.template === resource);
  }

  function breachesOfSchema(pointer: string, body: unknown): string[] {
    const validate = ajv.getSchema(`document#${pointer}`) ?? ajv.compile({ $ref: `document#${pointer}` });
    if (validate(body)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath || 'body'} ${message} ${JSON.stringify(params)}`,
    );
  }

  function breachesOfAnswer(answer: ObservedAnswer): string[] {
    const operation = find(answer.method, answer.path);
    if (!operation) return [];
    let pointer = `${operation.pointer}/responses/${answer.status}`;
    let response = operation.responses[answer.status];
    if (!response) return [`status ${answer.status} is not documented`];
    if (response.$ref) {
      pointer = response.$ref.slice(1);
      response = document.components.responses[pointer.split('/').at(-1) ?? ''];
    }
    const listed = Object.keys(response.headers ?? {}).map((name) => name.toLowerCase());
    const breaches = answer.headers
      .filter((name) => documented.includes(name) && !listed.includes(name))
      .map((name) => `header ${name} of ${answer.status} is not documented`);
    const json = '/content/application~1json/schema';
    if (response.content?.['application/json']) {
      breaches.push(...breachesOfSchema(`${pointer}${json}`, answer.body));
    }
    const code = (answer.body as Json)?.code;
    if (response['x-codes'] && !response['x-codes'].includes(code)) {
      breaches.push(`code ${code} of ${answer.status} is not documented`);
    }
    return breaches;
  }

  return {
    operationOf: (method, path) => find(method, path),
    breachesOf: (observed) =>
      'schema' in observed
        ? breachesOfSchema(`/components/schemas/${observed.schema}`, observed.body)
        : breachesOfAnswer(observed),
  };
}

/** Operations by path, fixed paths before those with parameters. */
function readOperations(document: Json): Operation[] {
  return Object.entries<Json>(document.paths)
    .toSorted(([one], [other]) => one.split('{').length - other.split('{').length)
    .flatMap(([path, methods]) =>
      Object.entries<Json>(methods).map(([method, { operationId: id, responses }]) => ({
        id,
        template: path,
        method: method.toUpperCase(),
        path: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
        pointer: `/paths/${path.replaceAll('/', '~1')}/${method}`,
        responses,
      })),
    );
}
