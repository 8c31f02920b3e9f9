import type { z } from 'zod';
import { Refusal } from '../domain/refusal.ts';

/**
 * Parses one part of a request; every problem is reported, not the first alone.
 *
 * @param part where the value stands in the request, the head of each JSON pointer: `query`, `body`, `form`, `path`
 * @throws Refusal VALIDATION_FAILED
 */
export function validate<S extends z.ZodType>(schema: S, value: unknown, part: string): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const errors = result.error.issues.map(({ path, message }) => ({
    pointer: `/${[part, ...path].map((key) => String(key).replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`,
    message,
  }));
  const summary = errors.map(({ pointer, message }) => `${pointer}: ${message}`).join('; ');
  throw new Refusal('VALIDATION_FAILED', summary.slice(0, 500), { errors });
}
