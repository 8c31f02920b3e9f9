import { readFileSync } from 'node:fs';

/** Requests and responses of tests by operation id, written by `npm run examples`. */
const EXAMPLES: Readonly<
  Record<string, { parameters?: Record<string, unknown>; body?: unknown; answer?: unknown }>
> = JSON.parse(readFileSync(new URL('examples.json', import.meta.url), 'utf8'));

/** Operations that no program can make succeed at will, and one with the same response. */
const ANSWERS_LIKE: Readonly<Record<string, string>> = { retryImport: 'resumeImport' };

interface Content {
  examples?: Record<string, { $ref: string }>;
}
interface Operation {
  operationId?: string;
  security?: Record<string, unknown>[];
  parameters?: { name: string; example?: unknown }[];
  requestBody?: { content: Record<string, Content> };
  responses?: Record<string, { content?: Record<string, Content> }>;
  'x-codeSamples'?: { lang: string; label: string; source: string }[];
}

/**
 * Adds examples to a document, in place: of its parameters to each operation, of bodies and answers once, as components
 * that operations refer to. An operation that has none gets the command that calls it.
 */
export function addExamples<Document extends { paths?: object; components?: object }>(
  document: Document,
): Document {
  const values = new Map<string, string>();
  /** The reference to a value; equal ones share a component. */
  const refer = (name: string, value: unknown): NonNullable<Content['examples']> => {
    const text = JSON.stringify(value);
    const id = values.get(text) ?? name;
    values.set(text, id);
    return { recorded: { $ref: `#/components/examples/${id}` } };
  };
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries<Operation>(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  for (const { path, method, operation } of operations) {
    const id = operation.operationId ?? '';
    const { parameters = {}, body, answer = EXAMPLES[ANSWERS_LIKE[id] ?? '']?.answer } = EXAMPLES[id] ?? {};
    for (const parameter of operation.parameters ?? []) {
      if (Object.hasOwn(parameters, parameter.name)) parameter.example = parameters[parameter.name];
    }
    // The others are the same as text, with examples in their schemas.
    const [request] = Object.values(operation.requestBody?.content ?? {});
    if (request && body !== undefined) request.examples = refer(`${id}Request`, body);
    // The first response is the successful one.
    const [response] = Object.values(operation.responses ?? {});
    for (const content of Object.values(response?.content ?? {})) {
      if (answer !== undefined) content.examples = refer(`${id}Answer`, answer);
    }
    const hasExample = Object.keys(parameters).length > 0 || body !== undefined || answer !== undefined;
    if (hasExample || operation.responses?.['101']) continue;
    operation['x-codeSamples'] = [
      { lang: 'Shell', label: 'curl', source: commandOf(path, method, operation) },
    ];
  }
  const examples = [...values].map(([text, id]) => [id, { value: JSON.parse(text) as unknown }]);
  document.components = { ...document.components, examples: Object.fromEntries(examples) };
  return document;
}

/** The command format of the guide: `$API` with the version, cookies in `jar`. */
function commandOf(path: string, method: string, { security }: Operation): string {
  const usesKey = security === undefined || security.some((scheme) => 'apiKey' in scheme);
  const credentials = usesKey ? '-H "X-API-Key: $KEY"' : '-b jar -c jar';
  return ['curl -s', method === 'get' ? '' : `-X ${method.toUpperCase()}`, credentials, `"$API${path}"`]
    .filter((part) => part !== '')
    .join(' ');
}
