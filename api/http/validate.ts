import { z } from 'zod';
import { AppError } from '../../domain/app-error.ts';
import { isListParameter } from '../../domain/schemas/query.ts';
import { findUnstorable } from '../../domain/text.ts';

const UNSTORABLE = 'must not contain NUL or a lone surrogate, or a number beyond 1.8e308';
/** Enough to fix a form; a body with thousands of errors must not produce a response many times its size. */
const MAX_ISSUES = 20;

/**
 * Parses one part of a request and reports all problems together; beyond 20 they are only counted. Values that cannot
 * be stored are rejected here for all fields, regardless of schema.
 *
 * @param part location of the value in the request, the head of each JSON pointer: `query`, `body`, `form`, `path`
 * @throws AppError VALIDATION_FAILED
 */
export function validate<S extends z.ZodType>(schema: S, value: unknown, part: string): z.output<S> {
  const unstorable = findUnstorable(value);
  if (unstorable) throw invalid([{ path: unstorable, message: UNSTORABLE }], part);
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw invalid(
    result.error.issues.flatMap((issue) => problems(issue, value)),
    part,
  );
}

interface Problem {
  path: PropertyKey[];
  message: string;
}

function invalid(issues: Problem[], part: string): AppError {
  const errors = issues.slice(0, MAX_ISSUES).map(({ path, message }) => ({
    pointer: pointer([part, ...path]),
    message,
  }));
  const summary = errors.map((error) => `${error.pointer}: ${error.message}`).join('; ');
  return new AppError('VALIDATION_FAILED', summary.slice(0, 500), { errors, errorCount: issues.length });
}

/**
 * Parses the text fields of a query or a form. An empty field counts as absent, because forms and scripts send one for
 * an input left blank; but a list that a program has filled with nothing is the list of nothing.
 */
export function validateFields<S extends z.ZodType>(
  schema: S,
  fields: Readonly<Record<string, string | string[] | undefined>>,
  part: 'query' | 'form',
): z.output<S> {
  const shape: Readonly<Record<string, unknown>> = schema instanceof z.ZodObject ? schema.shape : {};
  const given = Object.entries(fields).flatMap(([name, value]) => {
    const values = [value].flat().filter((one) => one !== undefined && one !== '');
    if (values.length > 0) return [[name, values.length === 1 ? values[0] : values]];
    return value !== undefined && isListParameter(shape[name]) ? [[name, '']] : [];
  });
  return validate(schema, Object.fromEntries(given), part);
}

/**
 * Zod reports the object with unknown fields instead of the fields, and the type of a missing field.
 */
function problems(issue: z.core.$ZodIssue, value: unknown): Problem[] {
  const { code, path } = issue;
  if (code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], message: 'unknown field' }));
  }
  const isMissing = code !== 'custom' && path.length > 0 && isAbsent(value, path);
  return [isMissing ? { path, message: 'is required' } : issue];
}

function isAbsent(value: unknown, path: readonly PropertyKey[]): boolean {
  const found = path.reduce<unknown>(
    (at, key) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, key) ? Reflect.get(at, key) : undefined,
    value,
  );
  return found === undefined;
}

function pointer(path: PropertyKey[]): string {
  return `/${path.map((key) => String(key).replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`;
}
