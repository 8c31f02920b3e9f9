import type { z } from 'zod';
import { AppError } from '../../domain/app-error.ts';

/** Enough to put a form right; a body that is wrong in thousands of places must not give an answer many times its size. */
const MAX_ISSUES = 20;

/**
 * Parses one part of a request; its problems are reported together, not the first alone. Of more than 20 the rest is
 * only counted.
 *
 * @param part where the value stands in the request, the head of each JSON pointer: `query`, `body`, `form`, `path`
 * @throws AppError VALIDATION_FAILED
 */
export function validate<S extends z.ZodType>(schema: S, value: unknown, part: string): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issues = result.error.issues.flatMap(problems);
  const errors = issues.slice(0, MAX_ISSUES).map(({ path, message }) => ({
    pointer: pointer([part, ...path]),
    message,
  }));
  const summary = errors.map((error) => `${error.pointer}: ${error.message}`).join('; ');
  throw new AppError('VALIDATION_FAILED', summary.slice(0, 500), { errors, errorCount: issues.length });
}

/**
 * The same for fields of a query or a form, which are texts. An empty one counts as not given: forms and scripts send
 * those for what nobody filled in.
 */
export function validateFields<S extends z.ZodType>(
  schema: S,
  fields: Readonly<Record<string, string | string[] | undefined>>,
  part: 'query' | 'form',
): z.output<S> {
  const given = Object.entries(fields).flatMap(([name, value]) => {
    const values = [value].flat().filter((one) => one !== undefined && one !== '');
    return values.length === 0 ? [] : [[name, values.length === 1 ? values[0] : values]];
  });
  return validate(schema, Object.fromEntries(given), part);
}

/** Zod points at the object that has unknown fields; a client wants to know which ones. */
function problems(issue: z.core.$ZodIssue): { path: PropertyKey[]; message: string }[] {
  if (issue.code !== 'unrecognized_keys') return [issue];
  return issue.keys.map((key) => ({ path: [...issue.path, key], message: 'unknown field' }));
}

function pointer(path: PropertyKey[]): string {
  return `/${path.map((key) => String(key).replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`;
}
