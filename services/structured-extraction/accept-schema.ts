import { linearPatterns } from '../../engines/text-work/linear-pattern.ts';
import { AppError } from '../../domain/app-error.ts';
import { checkSchema } from '../../domain/structured-extraction/check-schema.ts';
import type { JsonSchema } from '../../domain/structured-extraction/json-schema.ts';
import {
  reportViolations,
  shorten,
  type SchemaViolation,
} from '../../domain/structured-extraction/schema-violation.ts';

/** As for other errors in a request. */
const MAX_REPORTED = 20;

/** The violations of a schema, in a report of bounded size. */
export function validateSchema(schema: unknown): SchemaViolation[] {
  return reportViolations(checkSchema(schema, linearPatterns));
}

/**
 * Validates the schema of a request.
 *
 * @param pointer of the schema in the request
 * @throws AppError INVALID_SCHEMA with a pointer to each offending node
 */
export function acceptSchema(schema: unknown, pointer: string): JsonSchema {
  const violations = checkSchema(schema, linearPatterns);
  if (violations.length === 0) return schema as JsonSchema;
  const errors = violations
    .slice(0, MAX_REPORTED)
    .map(shorten)
    .map((violation) => ({
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
