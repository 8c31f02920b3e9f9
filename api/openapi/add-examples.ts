import type { OpenApiExamples } from './examples.ts';

interface Parameter {
  name: string;
  example?: unknown;
}
interface Content {
  example?: unknown;
}
interface Operation {
  operationId?: string;
  security?: Record<string, unknown>[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Content> };
  responses?: Record<string, { content?: Record<string, Content> }>;
  'x-codeSamples'?: { lang: string; label: string; source: string }[];
}

/**
 * Adds to each operation of a document the example of its parameters, body and answer, in place. One that has none of
 * them gets the command that calls it.
 */
export function addExamples<Document extends { paths?: object }>(
  document: Document,
  examples: OpenApiExamples,
): Document {
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries<Operation>(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  for (const { path, method, operation } of operations) {
    const { parameters = {}, body, answer } = examples[operation.operationId ?? ''] ?? {};
    for (const parameter of operation.parameters ?? []) {
      if (Object.hasOwn(parameters, parameter.name)) parameter.example = parameters[parameter.name];
    }
    // Others are for the same as text, and have examples of their own in their schemas.
    const [request] = Object.values(operation.requestBody?.content ?? {});
    if (request && body !== undefined) request.example = body;
    // The first response is the successful one.
    const [response] = Object.values(operation.responses ?? {});
    for (const content of Object.values(response?.content ?? {})) {
      if (answer !== undefined) content.example = answer;
    }
    const hasExample = Object.keys(parameters).length > 0 || body !== undefined || answer !== undefined;
    if (hasExample || operation.responses?.['101']) continue;
    operation['x-codeSamples'] = [
      { lang: 'Shell', label: 'curl', source: commandOf(path, method, operation) },
    ];
  }
  return document;
}

/** As the guide writes commands: `$API` with the version, cookies in `jar`. */
function commandOf(path: string, method: string, { security }: Operation): string {
  const usesKey = security === undefined || security.some((scheme) => 'apiKey' in scheme);
  const credentials = usesKey ? '-H "X-API-Key: $KEY"' : '-b jar -c jar';
  return ['curl -s', method === 'get' ? '' : `-X ${method.toUpperCase()}`, credentials, `"$API${path}"`]
    .filter((part) => part !== '')
    .join(' ');
}
