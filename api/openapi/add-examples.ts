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
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Content> };
  responses?: Record<string, { content?: Record<string, Content> }>;
}

/** Adds to each operation of a document the example of its parameters, body and answer, in place. */
export function addExamples<Document extends { paths?: object }>(
  document: Document,
  examples: OpenApiExamples,
): Document {
  const operations = Object.values(document.paths ?? {}).flatMap((path: object) => Object.values(path));
  for (const operation of operations as Operation[]) {
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
  }
  return document;
}
