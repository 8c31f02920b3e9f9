import { z } from 'zod';

const LISTS = new WeakSet<z.ZodType>();

/** Marks a parameter as a list: an empty value is the empty list, which selects nothing, not an absent parameter. */
export function listParameter<S extends z.ZodType>(schema: S): S {
  LISTS.add(schema);
  return schema;
}

/** Whether a parameter is marked as a list. Schemas derived from it, such as by `meta`, are not. */
export function isListParameter(schema: unknown): boolean {
  return schema instanceof z.ZodType && LISTS.has(schema);
}

/**
 * A query parameter that may be repeated, as a list without duplicates; empty if given without a value.
 *
 * @param empty what an empty list selects, for the description
 */
export function repeatable<T extends z.ZodType>(
  item: T,
  max: number,
  description: string,
  empty = 'no files',
) {
  const list = z
    .preprocess(
      (value) => (value === '' ? [] : typeof value === 'string' ? [value] : value),
      z
        .array(item)
        .transform((items) => [...new Set(items)])
        .refine((items) => items.length <= max, `at most ${max} of them`)
        .meta({ override: ({ jsonSchema }) => void (jsonSchema.maxItems = max) }),
    )
    .optional()
    .meta({ description: `${description}. May be repeated; given without a value: ${empty}` });
  return listParameter(list);
}

/** An integer in a query string; every error message names the range. */
export function integerIn(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`;
  // Unsafe integers also fail the first check; report them once.
  return z.coerce.number(error).int({ error, abort: true }).min(min, error).max(max, error);
}

/** A boolean in a query string, documented as `boolean`. */
export const flag = z.stringbool('must be true or false').meta({ override: { type: 'boolean' } });

/** Offset and limit of a page. */
export function page(most: number, usual: number) {
  return {
    offset: integerIn(0, 1_000_000_000).default(0).describe('Number of entries to skip'),
    limit: integerIn(1, most).default(usual).describe('Most entries of the page'),
  };
}

const date = z.iso.date();
const time = z.iso.datetime({ offset: true, local: true });
const HAS_ZONE = /(Z|[+-]\d\d:?\d\d)$/;

/**
 * An ISO 8601 date or date-time, in UTC unless it has an offset. A date alone means its first moment, or its last with
 * `end`.
 */
export function instantOrDay(edge: 'start' | 'end') {
  return z
    .union([date, time], 'must be an ISO 8601 date, or date and time')
    .transform((value) => {
      if (!value.includes('T'))
        return new Date(`${value}T${edge === 'start' ? '00:00:00.000' : '23:59:59.999'}Z`);
      return new Date(HAS_ZONE.test(value) ? value : `${value}Z`);
    })
    .refine(
      // The range of years that Postgres and toISOString format alike.
      (moment) => moment.getUTCFullYear() >= 1 && moment.getUTCFullYear() <= 9999,
      'must be a year from 1 to 9999',
    )
    .meta({ override: { type: 'string' } });
}
