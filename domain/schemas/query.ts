import { z } from 'zod';

/** A query parameter that may be given several times: once is a list of one. */
export function repeatable<T extends z.ZodType>(item: T, max: number) {
  return z
    .preprocess(
      (value) => (typeof value === 'string' ? [value] : value),
      z.array(item).max(max, `at most ${max} of them`),
    )
    .optional()
    .meta({ description: 'May be repeated' });
}

const date = z.iso.date();
const time = z.iso.datetime({ offset: true, local: true });
const HAS_ZONE = /(Z|[+-]\d\d:?\d\d)$/;

/**
 * A moment as people write it: ISO 8601, in UTC unless it has an offset. A date alone is its first moment, or with
 * `end` its last.
 */
export function moment(edge: 'start' | 'end') {
  return z
    .union([date, time], 'must be an ISO 8601 date, or date and time')
    .transform((value) => {
      if (!value.includes('T'))
        return new Date(`${value}T${edge === 'start' ? '00:00:00.000' : '23:59:59.999'}Z`);
      return new Date(HAS_ZONE.test(value) ? value : `${value}Z`);
    })
    .refine(
      // What Postgres and toISOString write alike.
      (moment) => moment.getUTCFullYear() >= 1 && moment.getUTCFullYear() <= 9999,
      'must be a year from 1 to 9999',
    )
    .meta({
      override: {
        type: 'string',
        description: 'ISO 8601 date, or date and time; UTC unless it has an offset',
      },
    });
}
