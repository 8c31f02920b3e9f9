import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { linearPattern } from './linear-pattern.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** The answer in the requested type, or its problems in words that the model can act on. */
export type Checked<T> = { value: T } | { problems: readonly string[] };

/**
 * Checks an answer against a client's JSON Schema (2020-12).
 *
 * @throws Error if the schema is invalid
 */
export function jsonSchemaCheck(schema: JsonSchema): (answer: unknown) => Checked<unknown> {
  // One instance per schema: an instance keeps every schema that it has compiled.
  const ajv = new Ajv2020({ strict: false, allErrors: true, code: { regExp: linearRegExp } });
  formats.default(ajv);
  const validate = ajv.compile(withoutDialect(schema));
  return (answer) =>
    validate(answer) ? { value: answer } : { problems: (validate.errors ?? []).map(explain) };
}

/** Patterns come from clients, so matching must take linear time. */
const linearRegExp = Object.assign((pattern: string) => linearPattern(pattern), { code: 'linearPattern' });

/** Other dialects name a meta-schema that is not loaded; their common keywords are still checked. */
function withoutDialect(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== '$schema'));
}

function explain({ instancePath, message, params }: ErrorObject): string {
  const { additionalProperty, allowedValues } = params as Record<string, unknown>;
  const detail = additionalProperty ?? allowedValues;
  const said = detail === undefined ? message : `${message} (${JSON.stringify(detail)})`;
  const path = instancePath.slice(1).replaceAll('/', '.');
  return `${path && `${path}: `}${said ?? 'is invalid'}`;
}
