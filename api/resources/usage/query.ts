import { z } from 'zod';
import { invalidField } from '../../../domain/app-error.ts';
import { USAGE_EVENT_TYPES } from '../../../domain/operations.ts';
import { optionalWith } from '../../../domain/schemas/text.ts';
import { flag, instantOrDay, page, integerIn } from '../../../domain/schemas/query.ts';
import { BILLING_PERIODS, SUMMARY_PERIODS, type TimeRange } from '../../../domain/usage/periods.ts';
import { usageBucket, usageLevel } from '../enums.ts';

const period = {
  start_date: instantOrDay('start')
    .optional()
    .describe('Usage from then on; an ISO 8601 date, or date and time, in UTC unless it has an offset'),
  end_date: instantOrDay('end')
    .optional()
    .describe(
      'Usage until then, by default now; an ISO 8601 date, or date and time, in UTC unless it has an offset',
    ),
};
const byKey = {
  api_key_id: z
    .string()
    .regex(/^[\w-]{8}$/, 'must be the id of an API key: 8 characters')
    .optional()
    .describe('Usage of this API key only, revoked or not'),
};

/** Operations of the contract that do not exist here: accepted as filters, without events. */
const ABSENT_OPERATIONS = ['verify', 'batch_verify', 'chat'] as const;

export const summaryQuery = z.object({
  ...period,
  period: z
    .enum(SUMMARY_PERIODS)
    .default('month')
    .describe(
      'Without `start_date`: from the beginning of the day, week (Monday) or month (UTC) of `end_date`',
    ),
  ...byKey,
});

export const detailsQuery = z.object({
  ...period,
  ...byKey,
  operation_type: z
    .enum([...USAGE_EVENT_TYPES, ...ABSENT_OPERATIONS])
    .optional()
    .describe('Events of this type only; there are none of `verify`, `batch_verify` and `chat`'),
  page: integerIn(1, 10_000_000).default(1).describe('Number of the page, from 1'),
  page_size: integerIn(1, 100).default(50).describe('Maximum number of events per page'),
});

export const overTimeQuery = z.object({
  period_type: usageBucket
    .default('day')
    .describe(
      'What to sum up by (UTC). Without `start_date`: from the beginning of the day, month or year of `end_date`',
    ),
  ...period,
  ...byKey,
});

export const topEndpointsQuery = z.object({
  limit: integerIn(1, 50).default(10).describe('Maximum number of endpoints'),
  ...period,
});

/** Far above any real use; keeps the arithmetic exact. */
const MAX_ITEMS = 1_000_000_000;

export const checkBody = z.strictObject({
  verification_level: optionalWith(usageLevel, 'standard').describe(
    'How thorough; a level costs 1, 2, 4 or 4 credits',
  ),
  item_count: optionalWith(z.int().min(1).max(MAX_ITEMS), 1).describe('Number of operations'),
});

export const planQuery = z.object({
  period: z
    .enum(BILLING_PERIODS)
    .default('month')
    .describe('The calendar month, quarter or year (UTC) that contains today'),
  include_projections: flag.default(true).describe('Whether `projections` is computed'),
});

export const monthQuery = z.object({
  year: integerIn(1, 9999).optional().describe('Year; by default the current one (UTC)'),
  month: integerIn(1, 12).optional().describe('Month, 1 to 12; by default the current one (UTC)'),
});

export const tokensQuery = z.object(page(100, 50));

/**
 * The requested range.
 *
 * @param startFor computes the start from the end, if the request has none
 * @throws AppError VALIDATION_FAILED for a range that ends before it begins
 */
export function rangeOf(
  { start_date: start, end_date: end }: { start_date?: Date | undefined; end_date?: Date | undefined },
  startFor: (end: Date) => Date,
  now = new Date(),
): TimeRange {
  const last = end ?? now;
  const from = start ?? startFor(last);
  if (from > last)
    throw invalidField(start ? '/query/start_date' : '/query/end_date', 'must not be after the end');
  // The end is inclusive; event times are whole milliseconds.
  return { from, to: new Date(last.getTime() + 1) };
}
