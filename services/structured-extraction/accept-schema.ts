import { linearPatterns } from '../../adapters/models/extraction/linear-pattern.ts';
import { AppError } from '../../domain/app-error.ts';
import { checkSchema } from '../../domain/structured-extraction/check-schema.ts';
import type { JsonSchema } from '../../domain/structured-extraction/json-schema.ts';
import type { SchemaViolation } from '../../domain/structured-extraction/schema-violation.ts';

/** More tell a program nothing, and would make an answer of many times the request's size. */
const MAX_REPORTED = 100;

/** Everything that is wrong with a schema. */
export function validateSchema(schema: unknown): SchemaViolation[] {
  return checkSchema(schema, linearPatterns);
}

/**
 * The schema of a request, once nothing is wrong with it.
 *
 * @param pointer of the schema in the request
 * @throws AppError INVALID_SCHEMA with a pointer to each offending node
 */
export function acceptSchema(schema: unknown, pointer: string): JsonSchema {
  const violations = validateSchema(schema);
  if (violations.length === 0) return schema as JsonSchema;
  const errors = violations.slice(0, MAX_REPORTED).map((violation) => ({
    pointer: `${pointer}${violation.pointer}`,
    message: violation.message,
  }));
  const [first] = errors;
  const more = violations.length > 1 ? `, and ${violations.length - 1} more` : '';
  throw new AppError('INVALID_SCHEMA', `${first?.pointer}: ${first?.message}${more}`, {
    errors,
    errorCount: violations.length,
  });
}
